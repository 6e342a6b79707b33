// Finds the slice that a cap's calls draw on now. A cap is looked up by its object, which callers keep, so that an
// ordinary call builds no name; the clock decides when the slice of the next window takes over.

import type { SpendCap } from '../../canonical/spend-cap.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type AccountFund, accountFund, type CapFund, capFund } from './fund.ts';
import type { Slice } from './slice.ts';
import type { SliceTable } from './slice-table.ts';

export class CapSlices {
  readonly table: SliceTable<CapFund>;
  readonly #current = new WeakMap<SpendCap, Slice<CapFund>>();

  constructor(table: SliceTable<CapFund>) {
    this.table = table;
  }

  /** `nowMs` decides the window; `usedMs` is on the clock that idle slices are found by. */
  of(cap: SpendCap, nowMs: number, usedMs: number): Slice<CapFund> {
    const slice = this.#find(cap, nowMs);
    slice.lastUsedMs = usedMs;
    if (slice.fund.limitNanoUsd !== cap.limitNanoUsd) setLimit(slice, cap);
    return slice;
  }

  /** The slice of the same window under this process's new registration. */
  again(slice: Slice<CapFund>): Slice<CapFund> {
    return this.table.find(slice.fund.id) ?? this.table.add({ ...slice.fund });
  }

  /** What calls of this process hold or are about to be charged in the cap's window. */
  usedNanoUsd(fundId: string): NanoUsd {
    return this.table.find(fundId)?.usedNanoUsd ?? 0n;
  }

  #find(cap: SpendCap, nowMs: number): Slice<CapFund> {
    const current = this.#current.get(cap);
    if (current?.isListed && nowMs >= current.fund.startMs && nowMs < current.fund.endMs) return current;
    const fund = capFund(cap, nowMs);
    const slice = this.table.find(fund.id) ?? this.table.add(fund);
    this.#current.set(cap, slice);
    return slice;
  }
}

/** A raised limit leaves more to lease; a lowered one first takes back what is free. */
function setLimit(slice: Slice<CapFund>, cap: SpendCap): void {
  if (cap.limitNanoUsd < slice.fund.limitNanoUsd) slice.isRecalled = true;
  else slice.remainingNanoUsd = null;
  slice.fund.limitNanoUsd = cap.limitNanoUsd;
}

// The slices of accounts, with what was last heard of their balances.

export class AccountSlices {
  readonly table: SliceTable<AccountFund>;

  constructor(table: SliceTable<AccountFund>) {
    this.table = table;
  }

  of(accountId: string, nowMs: number): Slice<AccountFund> {
    const slice = this.table.find(accountId) ?? this.table.add(accountFund(accountId));
    slice.lastUsedMs = nowMs;
    return slice;
  }

  /** The slice of the same account under this process's new registration. */
  again(slice: Slice<AccountFund>): Slice<AccountFund> {
    return this.of(slice.fund.id, slice.lastUsedMs);
  }

  /** The known balance may be stale, and there may be more to lease: the next call that needs it asks again. */
  forgetBalances(accountId: string | null): void {
    const slices = accountId === null ? this.table.all() : [this.table.find(accountId)];
    for (const slice of slices) {
      if (slice === undefined) continue;
      slice.fund.spendableNanoUsd = null;
      slice.remainingNanoUsd = null;
    }
  }

  /**
   * Money may have been taken from the account below a slice: nothing is held from it before a lease has told its true
   * state.
   */
  doubt(accountId: string | null): void {
    this.forgetBalances(accountId);
    const slices = accountId === null ? this.table.all() : [this.table.find(accountId)];
    for (const slice of slices) if (slice !== undefined) slice.isOverdrawn = true;
  }
}
