// Why a call cost what it cost, and what providers should have billed. Both are read from what was recorded at the
// time, never from the prices of today.

import { daysFrom } from '../../canonical/calendar.ts';
import type { Queryable } from '../../platform/db/database.ts';
import * as store from './store/explanation.ts';

export type Explanation = Readonly<{ record: store.ExplainedRow; entries: readonly store.EntryRow[] }>;
export type UpstreamCost = store.UpstreamCostRow & Readonly<{ day: string }>;

export type Explanations = Readonly<{
  /** Null when there is no such call. */
  ofGeneration(id: string): Promise<Explanation | null>;
  /** Both days are included; null for all providers. */
  upstreamCosts(
    span: Readonly<{ firstDay: string; lastDay: string }>,
    providerName: string | null,
  ): Promise<readonly UpstreamCost[]>;
}>;

export function createExplanations(queryable: Queryable): Explanations {
  return {
    async ofGeneration(id) {
      const record = await store.findExplained(queryable, id);
      return record === null ? null : { record, entries: await store.listEntries(queryable, id) };
    },
    async upstreamCosts({ firstDay, lastDay }, providerName) {
      const costs: UpstreamCost[] = [];
      for (const day of daysFrom(firstDay, lastDay)) {
        const rows = await store.readUpstreamCosts(queryable, day, providerName);
        costs.push(...rows.map((row) => ({ day, ...row })));
      }
      return costs;
    },
  };
}
