// Windows of caps as funds: the room that a limit leaves beside what was spent and what is leased. A counter is opened
// by the first lease in its window, with what the records say was spent before.

import type { SpendCap } from '../../canonical/spend-cap.ts';
import { windowEndMs, windowStartMs } from '../../canonical/spend-window.ts';
import { assert } from '../../platform/assert.ts';
import type { Database } from '../../platform/db/database.ts';
import type { CapFund, FundStore, LeaseRequest } from './fund.ts';
import {
  type CounterLeaseRow,
  dropCounterSlices,
  leaseCounterSlice,
  lowerCounterSlices,
  openCounter,
} from './store/counters.ts';

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
        // Counters of windows that are long over are removed. Whoever still needs one opens it again.
        fund.counterId = null;
        row = await leaseOnce(fund, request);
      }
      const { isRegistered, grantedNanoUsd, remainingNanoUsd, leasedBeforeNanoUsd, holders } = row;
      return {
        isRegistered,
        grantedNanoUsd: grantedNanoUsd ?? 0n,
        remainingNanoUsd: remainingNanoUsd ?? 0n,
        leasedBeforeNanoUsd: leasedBeforeNanoUsd ?? 0n,
        holders: holders ?? 0,
      };
    },
    async lower(processId, returns) {
      const rows = returns.map(({ fund, amountNanoUsd }) => ({ fundId: knownCounter(fund), amountNanoUsd }));
      await lowerCounterSlices(database, processId, rows);
    },
    async drop(processId, funds) {
      // One that was never opened has nothing to drop.
      const counterIds = funds.flatMap(({ counterId }) => (counterId === null ? [] : [counterId]));
      if (counterIds.length > 0) await dropCounterSlices(database, processId, counterIds);
    },
  };
}

export function knownCounter(fund: CapFund): string {
  assert(fund.counterId !== null, 'what was leased came from a counter');
  return fund.counterId;
}
