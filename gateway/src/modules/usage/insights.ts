// What one person has used of one account, and when: the figures behind a dashboard. Reading them is expensive, so they
// are cached for a while.

import type { Queryable } from '../../platform/db/database.ts';
import {
  NO_SUMS,
  type Sums,
  type SumsOfApp,
  type SumsOfKey,
  type SumsOfModel,
  toApp,
  toKey,
  toSums,
} from './report.ts';
import { type HeatColumn, type InsightsQuery, readBreakdown, readHours } from './store/insights.ts';

export type HeatMetric = 'spend' | 'tokens' | 'requests';

/** `hour` is 0 to 23, UTC; the value is nano-USD for spend, else a count. */
type HeatCell = Readonly<{ day: string; hour: number; value: bigint }>;

export type Insights = Readonly<{
  totals: Sums;
  /** Only hours with a value. */
  heat: readonly HeatCell[];
  topModels: readonly SumsOfModel[];
  topKeys: readonly SumsOfKey[];
  topApps: readonly SumsOfApp[];
}>;

export type { InsightsFilter, InsightsQuery } from './store/insights.ts';

const heatColumns: Readonly<Record<HeatMetric, HeatColumn>> = {
  spend: 'cost_nano_usd',
  tokens: 'tokens',
  requests: 'requests',
};

export async function readInsights(queryable: Queryable, query: InsightsQuery, metric: HeatMetric): Promise<Insights> {
  const [rows, days] = await Promise.all([
    readBreakdown(queryable, query),
    readHours(queryable, query, heatColumns[metric]),
  ]);
  const all = rows.find((row) => row.kind === 'all');
  return {
    totals: all === undefined ? NO_SUMS : toSums(all),
    heat: days.flatMap(({ day, hours }) =>
      hours.map((value, hour) => ({ day, hour, value })).filter(({ value }) => value > 0n),
    ),
    topModels: rows
      .filter((row) => row.kind === 'model')
      .map((row) => ({ modelId: row.model_id ?? '', ...toSums(row) })),
    topKeys: rows.filter((row) => row.kind === 'key').map(toKey),
    topApps: rows.filter((row) => row.kind === 'app').map(toApp),
  };
}
