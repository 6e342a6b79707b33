// A settlement between the end of its call and its commit. It becomes safe (committed or in the journal) once, which is
// when the caller may be told, and committed once, which is when the slices it was taken from are lowered.

import { assert } from '../../platform/assert.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Charged } from './commit-settlements.ts';
import type { AccountFund } from './fund.ts';
import type { Settlement } from './ledger.ts';
import type { CapPart, SettlementEntry } from './settlement-entry.ts';
import { lesser, type Slice } from './slice.ts';

export class PendingSettlement {
  readonly entry: SettlementEntry;
  readonly chargeNanoUsd: NanoUsd;
  readonly #costNanoUsd: NanoUsd;
  readonly #account: Slice<AccountFund>;
  readonly #caps: readonly CapPart[];
  readonly settlement: Promise<Settlement>;
  #resolve: (settlement: Settlement) => void = () => {};
  #isSafe = false;
  #isCommitted = false;

  constructor(
    input: Readonly<{
      entry: SettlementEntry;
      chargeNanoUsd: NanoUsd;
      costNanoUsd: NanoUsd;
      account: Slice<AccountFund>;
      caps: readonly CapPart[];
    }>,
  ) {
    this.entry = input.entry;
    this.chargeNanoUsd = input.chargeNanoUsd;
    this.#costNanoUsd = input.costNanoUsd;
    this.#account = input.account;
    this.#caps = input.caps;
    this.settlement = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The journal has it: it will be charged, and the caller need not wait for the database. */
  safe(chargedNanoUsd: NanoUsd): void {
    if (this.#isSafe) return;
    this.#isSafe = true;
    this.#resolve({ chargedNanoUsd, absorbedNanoUsd: this.#costNanoUsd - chargedNanoUsd });
  }

  committed(charged: Charged): void {
    assert(!this.#isCommitted, 'a settlement is committed once');
    this.#isCommitted = true;
    const { chargedNanoUsd } = charged;
    for (const { slice, partNanoUsd } of this.#caps) endPart(slice, partNanoUsd, charged);
    const slice = this.#account;
    endPart(slice, this.chargeNanoUsd, charged);
    if (charged.spendableNanoUsd !== null) slice.fund.spendableNanoUsd = charged.spendableNanoUsd;
    if (chargedNanoUsd < this.chargeNanoUsd && !charged.isBuried) {
      // The row held less than was known here. What looks free is not to be relied on.
      slice.surrender();
      slice.isUncertain = true;
    }
    this.safe(chargedNanoUsd);
  }
}

function endPart(slice: Slice, partNanoUsd: NanoUsd, charged: Charged): void {
  slice.endSettling(partNanoUsd, lesser(charged.chargedNanoUsd, partNanoUsd));
  slice.close();
  if (charged.isStanding) slice.isUncertain = true;
}
