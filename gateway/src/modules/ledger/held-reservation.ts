// A reservation as the ledger keeps it: a hold on the account and on each cap, ended together and exactly once. Others
// see only the readonly type.

import { type SpendCap, teamOfCaps } from '../../canonical/spend-cap.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { AccountFund, CapFund } from './fund.ts';
import type { Hold } from './hold.ts';
import type { Reservation } from './ledger.ts';

export const NO_HOLDS: readonly Hold<CapFund>[] = [];

export class HeldReservation implements Reservation {
  readonly generationId: string;
  readonly account: Hold<AccountFund>;
  readonly caps: readonly Hold<CapFund>[];
  /** What is recorded with the call: the team that its caller was in when it began. */
  readonly teamId: string | null;
  #refusal: ApiError | null = null;
  #isOpen = true;

  constructor(
    request: Readonly<{ generationId: string; caps: readonly SpendCap[] }>,
    account: Hold<AccountFund>,
    caps: readonly Hold<CapFund>[],
  ) {
    this.generationId = request.generationId;
    // Of all caps that were asked for: a call that costs nothing is held under none of them.
    this.teamId = teamOfCaps(request.caps);
    this.account = account;
    this.caps = caps;
  }

  get accountId(): string {
    return this.account.slice.fund.id;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  amountNanoUsd(): NanoUsd {
    return this.account.heldNanoUsd;
  }

  firmCaps(): readonly Hold<CapFund>[] {
    return this.caps.filter((hold) => !hold.isSoft);
  }

  /** In the order of refusals. */
  firmHolds(): readonly Hold[] {
    return [...this.firmCaps(), this.account];
  }

  /** As much of a cost as is held everywhere. */
  chargeableNanoUsd(costNanoUsd: NanoUsd): NanoUsd {
    let missing = this.account.missingNanoUsd(costNanoUsd);
    for (const hold of this.caps) {
      const ofCap = hold.isSoft ? 0n : hold.missingNanoUsd(costNanoUsd);
      if (ofCap > missing) missing = ofCap;
    }
    return costNanoUsd - missing;
  }

  refusal(): ApiError | null {
    return this.#refusal;
  }

  refuse(refusal: ApiError): void {
    this.#refusal = refusal;
  }

  end(): void {
    assert(this.#isOpen, 'a reservation ends exactly once');
    this.#isOpen = false;
  }

  /** False when some of it is held under slices that are gone. */
  get isStanding(): boolean {
    return !this.account.slice.isVoid && this.caps.every((hold) => !hold.slice.isVoid);
  }

  /** All of it has left this process for a row of its own. */
  leave(isCertain: boolean): void {
    this.account.leave(isCertain);
    for (const hold of this.caps) hold.leave(isCertain);
  }

  release(): void {
    this.account.release();
    for (const hold of this.caps) hold.release();
  }
}
