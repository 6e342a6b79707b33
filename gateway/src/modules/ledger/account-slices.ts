// The slices of accounts, with what was last heard of their balances.

import { accountFund } from './account-funds.ts';
import type { AccountFund } from './fund.ts';
import type { Slice } from './slice.ts';
import type { SliceTable } from './slice-table.ts';

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

  /** What is known of a balance may be stale, and there may be more to lease: ask again when it is needed. */
  forgetBalances(accountId: string | null): void {
    const slices = accountId === null ? this.table.all() : [this.table.find(accountId)];
    for (const slice of slices) {
      if (slice === undefined) continue;
      slice.fund.spendableNanoUsd = null;
      slice.remainingNanoUsd = null;
    }
  }

  /** Money may have been taken from under a slice: nothing more of it is held before a lease has told how it stands. */
  doubt(accountId: string | null): void {
    this.forgetBalances(accountId);
    const slices = accountId === null ? this.table.all() : [this.table.find(accountId)];
    for (const slice of slices) if (slice !== undefined) slice.isOverdrawn = true;
  }
}
