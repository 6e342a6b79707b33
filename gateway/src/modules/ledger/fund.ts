// What a process can lease a slice of: an account's money, or the room under a spend cap in one window. The table of
// slices treats both alike and leaves what differs, the statements, to the fund's store.

import type { SpendCap } from '../../canonical/spend-cap.ts';
import { windowEndMs, windowStartMs } from '../../canonical/spend-window.ts';
import { assert } from '../../platform/assert.ts';
import type { Database } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import {
  type CounterLeaseRow,
  dropCounterSlices,
  leaseCounterSlice,
  lowerCounterSlices,
  openCounter,
} from './store/counters.ts';
import { type AccountKind, dropSlices, leaseSlice, lowerSlices } from './store/slices.ts';

/** `id` is unique within its kind and holds no spaces. */
export type Fund = { readonly id: string };

export type AccountFund = Fund & {
  kind: AccountKind;
  /** Balance and credit line as last read; null when unknown. */
  spendableNanoUsd: NanoUsd | null;
};

/** One window of a cap. A call counts in the window in which its money was held, however long it takes. */
export type CapFund = Fund & {
  readonly cap: SpendCap;
  readonly startMs: number;
  readonly endMs: number;
  /** The limit that leases are made under now; `cap.limitNanoUsd` is the one it was opened with. */
  limitNanoUsd: NanoUsd;
  /** Null until the counter has been opened in the database. */
  counterId: string | null;
};

type LeaseRequest = Readonly<{
  processId: string;
  missingNanoUsd: NanoUsd;
  /** A smaller grant is of no use to the waiting calls, and is left for other processes. */
  leastNanoUsd: NanoUsd;
}>;

export type Lease = Readonly<{
  /** False when this process has been swept: it must register again before anything else. */
  isRegistered: boolean;
  grantedNanoUsd: NanoUsd;
  /** What no process has leased, after this lease. Negative when a limit was lowered below what is leased. */
  remainingNanoUsd: NanoUsd;
  leasedBeforeNanoUsd: NanoUsd;
  /** How many other processes have a slice. */
  sharers: number;
}>;

export type FundReturn<Leased extends Fund> = Readonly<{ fund: Leased; amountNanoUsd: NanoUsd }>;

export type FundStore<Leased extends Fund> = Readonly<{
  /** Grants what is missing if it is there, and up to half of what is, so that several processes can share. */
  lease(fund: Leased, request: LeaseRequest): Promise<Lease>;
  lower(processId: string, returns: readonly FundReturn<Leased>[]): Promise<void>;
  /** Removes whole slices, whatever they hold; only for funds of which this process has nothing held or settling. */
  drop(processId: string, funds: readonly Leased[]): Promise<void>;
}>;

// Accounts as funds: the money of a balance or a credit line, leased with the account's own statements.

export const accountFund = (accountId: string): AccountFund => ({
  id: accountId,
  kind: 'prepaid',
  spendableNanoUsd: null,
});

export function accountFunds(database: Database): FundStore<AccountFund> {
  return {
    async lease(fund, request) {
      const row = await leaseSlice(database, { accountId: fund.id, ...request });
      if (row.isRegistered) {
        fund.kind = row.kind ?? fund.kind;
        fund.spendableNanoUsd = row.spendableNanoUsd ?? 0n;
      }
      return {
        isRegistered: row.isRegistered,
        grantedNanoUsd: row.grantedNanoUsd ?? 0n,
        remainingNanoUsd: row.remainingNanoUsd ?? 0n,
        leasedBeforeNanoUsd: row.leasedBeforeNanoUsd ?? 0n,
        sharers: row.sharers ?? 0,
      };
    },
    lower(processId, returns) {
      const rows = returns.map(({ fund, amountNanoUsd }) => ({ fundId: fund.id, amountNanoUsd }));
      return lowerSlices(database, processId, rows);
    },
    drop(processId, funds) {
      const accountIds = funds.map(({ id }) => id);
      return dropSlices(database, processId, accountIds);
    },
  };
}

// Windows of caps as funds: the room that a limit leaves beside what was spent and what is leased. A counter is opened
// by the first lease in its window, with what the records say was spent before.

/** The window that a moment lies in. */
export function capFund(cap: SpendCap, nowMs: number): CapFund {
  const startMs = windowStartMs(cap.window, nowMs);
  return {
    id: `${cap.scope}/${cap.scopeId}/${cap.window}/${startMs}/${cap.sinceMs}`,
    cap,
    startMs,
    endMs: windowEndMs(cap.window, nowMs),
    limitNanoUsd: cap.limitNanoUsd,
    counterId: null,
  };
}

export function capFunds(database: Database): FundStore<CapFund> {
  async function leaseOnce(fund: CapFund, request: LeaseRequest): Promise<CounterLeaseRow> {
    fund.counterId ??= await openCounter(database, fund);
    const { counterId, limitNanoUsd } = fund;
    return leaseCounterSlice(database, { counterId, limitNanoUsd, ...request });
  }

  return {
    async lease(fund, request) {
      let row = await leaseOnce(fund, request);
      if (row.isRegistered && !row.isKnown) {
        // Counters of windows that are long over are removed, so this one is opened again.
        fund.counterId = null;
        row = await leaseOnce(fund, request);
      }
      const { isRegistered, grantedNanoUsd, remainingNanoUsd, leasedBeforeNanoUsd, sharers } = row;
      return {
        isRegistered,
        grantedNanoUsd: grantedNanoUsd ?? 0n,
        remainingNanoUsd: remainingNanoUsd ?? 0n,
        leasedBeforeNanoUsd: leasedBeforeNanoUsd ?? 0n,
        sharers: sharers ?? 0,
      };
    },
    async lower(processId, returns) {
      const rows = returns.map(({ fund, amountNanoUsd }) => ({ fundId: knownCounter(fund), amountNanoUsd }));
      await lowerCounterSlices(database, processId, rows);
    },
    async drop(processId, funds) {
      // A counter that was never opened has no slice to drop.
      const counterIds = funds.flatMap(({ counterId }) => (counterId === null ? [] : [counterId]));
      if (counterIds.length > 0) await dropCounterSlices(database, processId, counterIds);
    },
  };
}

export function knownCounter(fund: CapFund): string {
  assert(fund.counterId !== null, 'what was leased came from a counter');
  return fund.counterId;
}
