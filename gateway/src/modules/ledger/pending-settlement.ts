// A settlement between the end of its call and its commit. It becomes safe (committed or in the journal) once, which is
// when the caller may be told, and committed once, which is when the slice it was taken from is lowered.

import { assert } from '../../platform/assert.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Charged } from './commit-settlements.ts';
import type { Settlement } from './ledger.ts';
import type { SettlementEntry } from './settlement-entry.ts';
import { type AccountSlice, lesser } from './slice.ts';

export class PendingSettlement {
  readonly entry: SettlementEntry;
  readonly chargeNanoUsd: NanoUsd;
  readonly #costNanoUsd: NanoUsd;
  readonly #slice: AccountSlice;
  readonly settlement: Promise<Settlement>;
  #resolve: (settlement: Settlement) => void = () => {};
  #isSafe = false;
  #isCommitted = false;

  constructor(
    input: Readonly<{
      entry: SettlementEntry;
      chargeNanoUsd: NanoUsd;
      costNanoUsd: NanoUsd;
      slice: AccountSlice;
    }>,
  ) {
    this.entry = input.entry;
    this.chargeNanoUsd = input.chargeNanoUsd;
    this.#costNanoUsd = input.costNanoUsd;
    this.#slice = input.slice;
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
    const slice = this.#slice;
    const { chargedNanoUsd } = charged;
    slice.endSettling(this.chargeNanoUsd, lesser(chargedNanoUsd, this.chargeNanoUsd));
    slice.close();
    if (charged.balanceNanoUsd !== null) slice.balanceNanoUsd = charged.balanceNanoUsd;
    if (charged.isStanding) slice.isUncertain = true;
    if (chargedNanoUsd < this.chargeNanoUsd && !charged.isBuried) {
      // The row held less than was known here. What looks free is not to be relied on.
      slice.surrender();
      slice.isUncertain = true;
    }
    this.safe(chargedNanoUsd);
  }
}
