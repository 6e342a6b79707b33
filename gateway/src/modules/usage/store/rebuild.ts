// Makes the sums of a day again from its records, while calls go on. A statement sees records and sums at one moment,
// and knows which records are not folded yet, so the difference is exact at that moment; adding it gives the right
// result whatever is added meanwhile. Nothing is locked out, and a correct day has no difference.

import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import { doubtMonth } from './added-up.ts';

type RollUp = Readonly<{
  table: string;
  /** Columns of the key, each with its expression over a record. */
  keys: Readonly<Record<string, string>>;
  /** Columns that are added up, likewise. `requests` is one of them in every table. */
  sums: Readonly<Record<string, string>>;
  /** Whether a sum is one figure, or one for each hour of the day. */
  isHourly: boolean;
  /** Which records count. */
  condition: string;
}>;

// The expressions are the same as those of the function that adds to the sums; a test compares the two.
const DAY = "(created_at AT TIME ZONE 'UTC')::date";
const SERIES = {
  account_id: 'account_id',
  day: DAY,
  user_id: 'user_id',
  key_id: 'key_id',
  model_id: 'left(model_id, 200)',
  app_name: "left(coalesce(app_name, ''), 128)",
};

const TEAM = "coalesce(team_id, '')";

const UNPAID = { user_id: 'user_id', day: DAY, reason: "coalesce(absorbed_reason, '')", account_id: 'account_id' };

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** An aggregate for each hour of the day, as an array. */
const perHour = (aggregate: string): string => {
  const ofHour = (hour: number) => `FILTER (WHERE extract(hour FROM created_at AT TIME ZONE 'UTC') = ${hour})`;
  return `ARRAY[${HOURS.map((hour) => `coalesce(${aggregate} ${ofHour(hour)}, 0)`).join(', ')}]::bigint[]`;
};

const rollUps: readonly RollUp[] = [
  {
    table: 'usage_daily',
    keys: { ...SERIES, team_id: TEAM },
    sums: {
      requests: 'count(*)',
      failed_requests: 'count(*) FILTER (WHERE upstream_status NOT BETWEEN 200 AND 299)',
      prompt_tokens: 'sum(prompt_tokens)::bigint',
      completion_tokens: 'sum(completion_tokens)::bigint',
      cost_nano_usd: 'sum(cost_nano_usd)::bigint',
      upstream_nano_usd:
        'coalesce(sum(subtotal_nano_usd - cache_discount_nano_usd) FILTER (WHERE cost_nano_usd > 0), 0)::bigint',
      markup_nano_usd: 'coalesce(sum(markup_nano_usd), 0)::bigint',
    },
    isHourly: false,
    condition: 'true',
  },
  {
    table: 'usage_hourly',
    keys: SERIES,
    sums: {
      requests: perHour('count(*)'),
      tokens: perHour('sum(prompt_tokens + completion_tokens)'),
      cost_nano_usd: perHour('sum(cost_nano_usd)'),
    },
    isHourly: true,
    condition: 'true',
  },
  {
    table: 'usage_absorbed',
    keys: UNPAID,
    sums: { requests: 'count(*)', absorbed_nano_usd: 'sum(absorbed_nano_usd)::bigint' },
    isHourly: false,
    condition: 'absorbed_nano_usd > 0',
  },
  {
    table: 'usage_unpaid',
    keys: { ...UNPAID, model_id: SERIES.model_id },
    sums: { requests: 'count(*)', absorbed_nano_usd: 'sum(absorbed_nano_usd)::bigint' },
    isHourly: false,
    condition: 'absorbed_nano_usd > 0',
  },
];

const IN_DAY = `created_at >= $1::timestamp AT TIME ZONE 'UTC'
  AND created_at < ($1::timestamp + interval '1 day') AT TIME ZONE 'UTC'
  AND NOT EXISTS (
    SELECT FROM (SELECT unnest(generation_ids) AS id FROM unfolded_batches) u WHERE u.id = generations.id)`;

/** `left` and `right` are columns; null counts as zero. */
function calculate({ isHourly }: RollUp, left: string, operator: '+' | '-', right: string): string {
  const one = (place: string) => `coalesce(${left}${place}, 0) ${operator} coalesce(${right}${place}, 0)`;
  return isHourly ? `ARRAY[${HOURS.map((hour) => one(`[${hour + 1}]`)).join(', ')}]::bigint[]` : `(${one('')})`;
}

/** Rows are taken in the order of their keys, as settlements take them, so that the two cannot deadlock. */
function correctStatement(rollUp: RollUp): Statement {
  const { table, keys, sums, condition } = rollUp;
  const sumNames = Object.keys(sums);
  const keyList = Object.keys(keys).join(', ');
  const expressions = [...Object.entries(keys), ...Object.entries(sums)].map(([name, text]) => `${text} AS ${name}`);
  const places = Object.keys(keys).map((_, index) => index + 1);
  const each = (write: (name: string) => string): string => sumNames.map(write).join(', ');
  // Only the daily sums have the time of a key's last use.
  const last = (text: string): string => (table === 'usage_daily' ? text : '');
  return sql(
    `usage_rebuild_${table}`,
    `WITH expected AS MATERIALIZED (
       SELECT ${expressions.join(', ')}${last(', max(created_at) AS last_at')} FROM generations
       WHERE ${IN_DAY} AND ${condition} GROUP BY ${places.join(', ')}
     ), kept AS MATERIALIZED (
       SELECT * FROM ${table} WHERE day = $1::date
     ), difference AS MATERIALIZED (
       SELECT ${keyList}, ${each((name) => `${calculate(rollUp, `e.${name}`, '-', `k.${name}`)} AS ${name}`)}
              ${last(', coalesce(e.last_at, k.last_at) AS last_at')}
       FROM expected e FULL JOIN kept k USING (${keyList})
       WHERE (${each((name) => `e.${name}`)}${last(', e.last_at')})
         IS DISTINCT FROM (${each((name) => `k.${name}`)}${last(', k.last_at')})
     ), corrected AS (
       INSERT INTO ${table} AS kept (${keyList}, ${sumNames.join(', ')}${last(', last_at')})
       SELECT * FROM difference ORDER BY ${keyList}
       ON CONFLICT (${keyList}) DO UPDATE SET
         ${each((name) => `${name} = ${calculate(rollUp, `kept.${name}`, '+', `excluded.${name}`)}`)}
         ${last(', last_at = greatest(kept.last_at, excluded.last_at)')}
     )
     SELECT count(*) AS rows FROM difference`,
  );
}

/** Removes rows that were corrected to zero. */
function clearStatement({ table, isHourly }: RollUp): Statement {
  const nothing = isHourly ? 'array_fill(0::bigint, ARRAY[24])' : '0';
  return sql(`usage_clear_${table}`, `DELETE FROM ${table} WHERE day = $1::date AND requests = ${nothing}`);
}

// A time cannot be corrected by adding. It is set back only where the row counts exactly the records that are seen
// here: a call that has ended since has changed the count, and then the time is right.
const lastUseStatement = sql(
  'usage_rebuild_last_use',
  `UPDATE usage_daily u SET last_at = e.last_at
   FROM (
     SELECT account_id, user_id, key_id, ${SERIES.model_id} AS model_id, ${SERIES.app_name} AS app_name,
            ${TEAM} AS team_id, count(*) AS requests, max(created_at) AS last_at
     FROM generations WHERE ${IN_DAY} GROUP BY 1, 2, 3, 4, 5, 6
   ) e
   WHERE u.day = $1::date AND u.account_id = e.account_id AND u.user_id = e.user_id AND u.key_id = e.key_id
     AND u.model_id = e.model_id AND u.app_name = e.app_name AND u.team_id = e.team_id AND u.requests = e.requests
     AND u.last_at <> e.last_at`,
);

const steps = rollUps.map((rollUp) => ({ correct: correctStatement(rollUp), clear: clearStatement(rollUp) }));

/** Runs in a transaction. Answers how many rows of sums were wrong. */
export async function rebuildDay(transaction: Queryable, day: string): Promise<number> {
  let wrongRows = 0;
  for (const { correct, clear } of steps) {
    const [counted] = await transaction.query<{ rows: bigint }>(correct, [day]);
    if (counted === undefined || counted.rows === 0n) continue;
    wrongRows += Number(counted.rows);
    await transaction.query(clear, [day]);
  }
  if (wrongRows > 0) await transaction.query(lastUseStatement, [day]);
  // Also where nothing was wrong, because an older build that knows no months may have corrected the day.
  await doubtMonth(transaction, day);
  return wrongRows;
}
