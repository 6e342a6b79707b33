// A settlement between the end of its call and its fold. It becomes safe (in the database or in the journal) once, which
// is when the caller may be told. What it was held of leaves the slices when it is folded, because until then the
// slices' rows still have it.

import type { GenerationRecord } from '../../canonical/generation.ts';
import { assert } from '../../platform/assert.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { AccountFund } from './fund.ts';
import type { Settlement } from './ledger.ts';
import type { PriceSnapshot } from './price-usage.ts';
import type { CapPart, Charged, FinishedCall } from './settlement-entry.ts';
import { lesser, type Slice } from './slice.ts';

type OnSettled = (settlement: Settlement) => void;

type Phase = 'open' | 'appended' | 'ended';

export class PendingSettlement implements FinishedCall {
  readonly record: GenerationRecord;
  readonly chargeNanoUsd: NanoUsd;
  readonly priceList: PriceSnapshot | null;
  readonly caps: readonly CapPart[];
  readonly teamId: string | null;
  readonly account: Slice<AccountFund>;
  /** Null once told: a settlement that waits for its fold must not keep its whole call in memory. */
  #done: OnSettled | null;
  #phase: Phase = 'open';

  constructor(call: FinishedCall, account: Slice<AccountFund>, done: OnSettled) {
    this.record = call.record;
    this.chargeNanoUsd = call.chargeNanoUsd;
    this.priceList = call.priceList;
    this.caps = call.caps;
    this.teamId = call.teamId ?? null;
    this.account = account;
    this.#done = done;
  }

  get isSafe(): boolean {
    return this.#done === null;
  }

  /** Slices of this process carry all of it. Where they are gone, only the account's row can tell what it carries. */
  get isBacked(): boolean {
    if (!this.isAccountBacked) return false;
    for (const { slice } of this.caps) if (slice.isVoid) return false;
    return true;
  }

  get isAccountBacked(): boolean {
    return !this.account.isVoid;
  }

  get isUnfolded(): boolean {
    return this.#phase === 'appended';
  }

  /** The journal has it: it will be charged, and the caller need not wait for the database. */
  safe(chargedNanoUsd: NanoUsd): void {
    const done = this.#done;
    if (done === null) return;
    this.#done = null;
    done({ chargedNanoUsd, absorbedNanoUsd: this.record.costNanoUsd - chargedNanoUsd });
  }

  /** The database has it, and will have it in the balance when it is folded. */
  appended(): void {
    this.#append();
    this.#spend(this.chargeNanoUsd);
    this.safe(this.chargeNanoUsd);
  }

  /** The database has taken it and folded it at once; or it had it before, and may have it still to fold. */
  committed(charged: Charged): void {
    const { chargedNanoUsd } = charged;
    if (charged.isStanding) {
      this.#append();
      this.account.isUncertain = true;
      for (const { slice } of this.caps) slice.isUncertain = true;
      this.safe(chargedNanoUsd);
      return;
    }
    this.#leaveOpen('ended');
    for (const { slice, partNanoUsd } of this.caps) endPart(slice, partNanoUsd, chargedNanoUsd);
    const slice = this.account;
    endPart(slice, this.chargeNanoUsd, chargedNanoUsd);
    this.#spend(chargedNanoUsd);
    if (chargedNanoUsd < this.chargeNanoUsd && !charged.isBuried) {
      // The row held less than was known here. What looks free is not to be relied on.
      slice.surrender();
      slice.isUncertain = true;
    }
    this.safe(chargedNanoUsd);
  }

  #append(): void {
    this.#leaveOpen('appended');
    this.account.append(this.chargeNanoUsd);
    this.account.close();
    for (const { slice, partNanoUsd } of this.caps) {
      slice.append(partNanoUsd);
      slice.close();
    }
  }

  #spend(chargedNanoUsd: NanoUsd): void {
    const { fund } = this.account;
    if (fund.spendableNanoUsd !== null) fund.spendableNanoUsd -= chargedNanoUsd;
  }

  #leaveOpen(phase: Phase): void {
    assert(this.#phase === 'open', 'a settlement is committed once');
    this.#phase = phase;
  }
}

function endPart(slice: Slice, partNanoUsd: NanoUsd, chargedNanoUsd: NanoUsd): void {
  slice.endSettling(partNanoUsd, lesser(chargedNanoUsd, partNanoUsd));
  slice.close();
}
