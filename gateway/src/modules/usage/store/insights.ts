// One person's usage of one account: totals with the largest models, keys and applications, and the hours of a heat
// map. A filter is part of the statement's text, because a condition that may be absent cannot use an index.

import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import type { SumsRow } from './report.ts';
import { studentName } from './student-name.ts';

export type InsightsFilter = Readonly<{ modelId: string | null; keyId: string | null; appName: string | null }>;

export type InsightsQuery = Readonly<{
  accountId: string;
  userId: string;
  /** `YYYY-MM-DD`; null for all time. */
  firstDay: string | null;
  filter: InsightsFilter;
}>;

type BreakdownRow = SumsRow &
  Readonly<{
    kind: 'all' | 'model' | 'key' | 'app';
    model_id: string | null;
    key_id: string | null;
    key_name: string | null;
    app_name: string | null;
  }>;

/** A day of a heat map, one figure for each hour from midnight, UTC. */
type HoursRow = Readonly<{ day: string; hours: readonly bigint[] }>;

/** The columns of the hourly sums. */
export type HeatColumn = 'cost_nano_usd' | 'tokens' | 'requests';

const TOP_MAX = 10;

type Column = 'model_id' | 'key_id' | 'app_name';

function conditionsOf(filter: InsightsFilter): readonly (readonly [Column, string])[] {
  const all: readonly (readonly [Column, string | null])[] = [
    ['model_id', filter.modelId],
    ['key_id', filter.keyId],
    ['app_name', filter.appName],
  ];
  return all.filter((condition): condition is readonly [Column, string] => condition[1] !== null);
}

/** The parameters before a filter's are the account, the user and the first day. */
const conditionText = (columns: readonly Column[]): string =>
  columns.map((column, index) => ` AND ${column} = $${index + 4}`).join('');

function breakdownStatement(columns: readonly Column[]): Statement {
  return sql(
    `usage_breakdown_${columns.join('_')}`,
    `WITH summed AS (
       SELECT CASE grouping(model_id, key_id, app_name) WHEN 3 THEN 'model' WHEN 5 THEN 'key' WHEN 6 THEN 'app'
                ELSE 'all' END AS kind,
              model_id, key_id, app_name, coalesce(sum(requests), 0)::bigint AS requests,
              coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
              coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
              coalesce(sum(cost_nano_usd), 0)::bigint AS cost_nano_usd
       FROM usage_daily_now WHERE account_id = $1 AND user_id = $2 AND day >= $3::date${conditionText(columns)}
       GROUP BY GROUPING SETS ((), (model_id), (key_id), (app_name))
     ), ranked AS (
       SELECT *, row_number() OVER (PARTITION BY kind ORDER BY cost_nano_usd DESC, requests DESC) AS place FROM summed
     )
     SELECT r.kind, r.model_id, r.key_id, coalesce(k.name, ${studentName('r.key_id', '$1')}) AS key_name, r.app_name, r.requests, r.prompt_tokens,
            r.completion_tokens, r.cost_nano_usd
     FROM ranked r LEFT JOIN api_keys k ON k.id = r.key_id AND k.account_id = $1
     WHERE r.place <= ${TOP_MAX}
     ORDER BY r.kind, r.place`,
  );
}

const hoursStatement =
  (heat: HeatColumn) =>
  (columns: readonly Column[]): Statement => {
    const sums = Array.from({ length: 24 }, (_, hour) => `sum(${heat}[${hour + 1}])`);
    return sql(
      `usage_hours_${[heat, ...columns].join('_')}`,
      `SELECT day, ARRAY[${sums.join(', ')}]::bigint[] AS hours
       FROM usage_hourly_now
       WHERE account_id = $1 AND user_id = $2 AND day >= $3::date${conditionText(columns)}
       GROUP BY day
       ORDER BY day`,
    );
  };

/** A statement is made once for each set of filtered columns: eight of each kind at most. */
function onePerColumns(make: (columns: readonly Column[]) => Statement): (columns: readonly Column[]) => Statement {
  const made = new Map<string, Statement>();
  return (columns) => {
    const name = columns.join();
    const statement = made.get(name) ?? make(columns);
    made.set(name, statement);
    return statement;
  };
}

const breakdownFor = onePerColumns(breakdownStatement);
const hoursFor = {
  cost_nano_usd: onePerColumns(hoursStatement('cost_nano_usd')),
  tokens: onePerColumns(hoursStatement('tokens')),
  requests: onePerColumns(hoursStatement('requests')),
};

const BEGINNING = '-infinity';

function read<Row extends object>(
  queryable: Queryable,
  statementFor: (columns: readonly Column[]) => Statement,
  query: InsightsQuery,
): Promise<Row[]> {
  const conditions = conditionsOf(query.filter);
  const statement = statementFor(conditions.map(([column]) => column));
  const values = conditions.map(([, value]) => value);
  return queryable.query<Row>(statement, [query.accountId, query.userId, query.firstDay ?? BEGINNING, ...values]);
}

/** One row for everything, then the largest ones of each kind by what was spent. */
export const readBreakdown = (queryable: Queryable, query: InsightsQuery): Promise<BreakdownRow[]> =>
  read<BreakdownRow>(queryable, breakdownFor, query);

/** The days with a call, in order. */
export const readHours = (queryable: Queryable, query: InsightsQuery, heat: HeatColumn): Promise<HoursRow[]> =>
  read<HoursRow>(queryable, hoursFor[heat], query);
