// Writes settlements whose slices are in doubt or gone. What this process still has set aside for one, or can spare of
// its own slice of the account, is named in the row: the database takes that much out of the slice and the rest out of
// what is available, and memory and row stay the same.

import type { NanoUsd } from '../../platform/money.ts';
import type { AccountSlices } from './account-slices.ts';
import type { CommitEach } from './commit-each.ts';
import type { Charged } from './commit-settlements.ts';
import type { AccountFund } from './fund.ts';
import type { PendingSettlement } from './pending-settlement.ts';
import { type SettlementEntry, settlementEntry } from './settlement-entry.ts';
import { lesser, type Slice } from './slice.ts';
import type { SettlementRow } from './store/settlements.ts';

/** An entry, and the settlement that it is of where this process has made it. */
export type Doubtful = Readonly<{ entry: SettlementEntry; settlement: PendingSettlement | null }>;

export type CommitClamped = (
  doubtful: readonly Doubtful[],
  done: (doubtful: Doubtful, charged: Charged) => void,
) => Promise<void>;

/** A part of this process's own slice that stands in for one that is gone. */
class Backing {
  readonly #slice: Slice<AccountFund>;
  readonly partNanoUsd: NanoUsd;

  constructor(slice: Slice<AccountFund>, upToNanoUsd: NanoUsd) {
    this.#slice = slice;
    this.partNanoUsd = slice.takeUpTo(upToNanoUsd);
    slice.open();
    slice.beginSettling(this.partNanoUsd, this.partNanoUsd);
  }

  end(charged: Charged): void {
    const takenNanoUsd = charged.isStanding ? 0n : lesser(charged.chargedNanoUsd, this.partNanoUsd);
    this.#slice.endSettling(this.partNanoUsd, takenNanoUsd);
    this.#slice.close();
  }

  /** Nobody knows whether the row was lowered: what it may have been lowered by is not used again. */
  lose(): void {
    this.#slice.endSettling(this.partNanoUsd, this.partNanoUsd);
    this.#slice.close();
    this.#slice.isUncertain = true;
  }
}

const noneOf = (row: SettlementRow): SettlementRow =>
  row.counter_ids === undefined ? row : { ...row, counter_parts: row.counter_ids.map(() => '0') };

export function clampedCommitter(commitEach: CommitEach, accounts: AccountSlices): CommitClamped {
  function backingOf({ account_id: accountId, charge }: SettlementRow): Backing | null {
    const slice = accounts.table.find(accountId);
    return slice === undefined || charge === '0' ? null : new Backing(slice, BigInt(charge));
  }

  return async (doubtful, done) => {
    const open = new Map<SettlementEntry, Readonly<{ of: Doubtful; backing: Backing | null }>>();
    for (const one of doubtful) {
      const { entry, settlement } = one;
      if (settlement?.isAccountBacked) {
        const { row } = settlementEntry(settlement.record, settlement);
        open.set({ ...entry, row: { ...row, account_part: row.charge } }, { of: one, backing: null });
        continue;
      }
      const backing = backingOf(entry.row);
      const row = settlement === null ? noneOf(entry.row) : settlementEntry(settlement.record, settlement).row;
      open.set(
        { ...entry, row: { ...row, account_part: (backing?.partNanoUsd ?? 0n).toString() } },
        { of: one, backing },
      );
    }
    try {
      await commitEach([...open.keys()], (entry, charged) => {
        const ended = open.get(entry);
        open.delete(entry);
        if (ended === undefined) return;
        ended.backing?.end(charged);
        done(ended.of, charged);
      });
    } finally {
      for (const { backing } of open.values()) backing?.lose();
    }
  };
}
