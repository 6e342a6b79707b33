// Counters of caps in the database: what was spent in a window, and the slices of the rest. The limit is not stored
// here; it belongs to the caller and comes with every lease.

import type { SpendCap, SpendCoverage } from '../../../canonical/spend-cap.ts';
import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { LOCKED_COUNTER_COLUMNS, setCounter } from './locked-rows.ts';
import { returnsJson, type SliceReturn, sliceStatements } from './slices.ts';

/** Where the amount spent in a window is found, and which conditions the cap has; `all` where it has none. */
type SeedKind = Readonly<{ source: 'hours' | 'records' | 'days'; covers: readonly CoverName[] }>;
type CoverName = keyof SpendCoverage;

const CONDITIONS: Readonly<Record<CoverName, Readonly<{ place: string; isMet: string }>>> = {
  keyId: { place: '$4::text', isMet: 'key_id = $4' },
  accountId: { place: '$5::text', isMet: 'account_id = $5' },
  userIds: { place: '$6::text[]', isMet: 'user_id = ANY ($6)' },
  teamId: { place: '$8::text', isMet: 'team_id = $8' },
};

const coverNames = Object.keys(CONDITIONS) as CoverName[];

// The sums exist by day and by hour, for account, user or key. Minutes, and the hours of a team, are added up from the
// records, of only those accounts that the day's sums say were used since. The offset keeps the planner from reading
// the records of all accounts first.
function seedKindOf({ window, covers }: SpendCap): SeedKind {
  const given = coverNames.filter((name) => covers[name] !== undefined);
  if (window === 'hour' && covers.teamId === undefined) return { source: 'hours', covers: given };
  return { source: window === 'minute' || window === 'hour' ? 'records' : 'days', covers: given };
}

const coveredBy = ({ covers }: SeedKind): string =>
  coverNames
    .map((name) => (covers.includes(name) ? CONDITIONS[name].isMet : `${CONDITIONS[name].place} IS NULL`))
    .join(' AND ');

const usedSince = (kind: SeedKind): string => `FROM usage_daily_now
         WHERE day = ($2::timestamptz AT TIME ZONE 'UTC')::date AND last_at >= $2::timestamptz AND ${coveredBy(kind)}`;

/**
 * Builds only what this kind of cap needs: a statement for every kind at once takes five times as long to plan as to
 * run.
 */
function spentInWindow(kind: SeedKind): string {
  const texts = {
    hours: `SELECT sum(cost_nano_usd[extract(hour FROM $2::timestamptz AT TIME ZONE 'UTC')::integer + 1])
       FROM usage_hourly_now
       WHERE day = ($2::timestamptz AT TIME ZONE 'UTC')::date AND $3::timestamptz IS NOT NULL`,
    records: `SELECT sum(g.cost_nano_usd) FROM (
         SELECT DISTINCT account_id AS used_id ${usedSince(kind)}
       ) a CROSS JOIN LATERAL (
         SELECT * FROM generations
         WHERE account_id = a.used_id AND created_at >= $2::timestamptz AND created_at < $3::timestamptz OFFSET 0
       ) g
       WHERE true`,
    days: `SELECT sum(cost_nano_usd) FROM usage_daily_now
       WHERE day >= ($2::timestamptz AT TIME ZONE 'UTC')::date
         AND ($3::timestamptz IS NULL OR day < ($3::timestamptz AT TIME ZONE 'UTC')::date)`,
  };
  return `coalesce((${texts[kind.source]} AND $1::text IS NOT NULL AND ${coveredBy(kind)}), 0)::bigint`;
}

/** A statement for each kind of cap, made when the first of its kind comes. */
function forEachKind(name: string, textOf: (kind: SeedKind) => string): (kind: SeedKind) => Statement {
  const made = new Map<string, Statement>();
  return (kind) => {
    const key = [name, kind.source, ...kind.covers].join('_');
    const known = made.get(key) ?? sql(key, textOf(kind));
    made.set(key, known);
    return known;
  };
}

const openWith = (spent: string, condition: string): string => `WITH known AS MATERIALIZED (
     SELECT id FROM spend_counters WHERE name = $7
   ), opened AS (
     INSERT INTO spend_counters (
       name, scope, scope_id, time_window, window_start, window_end, seeded_nano_usd, spent_nano_usd
     )
     SELECT $7, $9, $10, $1::text, $2::timestamptz, $3::timestamptz, seed.amount, seed.amount
     FROM (SELECT ${spent} AS amount) seed
     WHERE NOT EXISTS (SELECT FROM known) AND ${condition}
     ON CONFLICT (name) DO NOTHING
     RETURNING id
   )
   SELECT id FROM known UNION ALL SELECT id FROM opened`;

const openStatement = forEachKind('ledger_open_counter', (kind) => openWith(spentInWindow(kind), 'true'));

/** Where nothing was used in the window so far, as is usual. To plan a look at the records takes milliseconds. */
const openUnusedStatement = forEachKind('ledger_open_unused_counter', (kind) =>
  openWith('0::bigint', `NOT EXISTS (SELECT ${usedSince(kind)})`),
);

const readStatement = forEachKind(
  'ledger_read_counter',
  (kind) => `SELECT coalesce(
     (SELECT c.spent_nano_usd + c.held_nano_usd + coalesce(
        (SELECT sum(u.amount_nano_usd) FROM unfolded_counts u WHERE u.counter_id = c.id), 0)::bigint
      FROM spend_counters c WHERE c.name = $7),
     ${spentInWindow(kind)}
   ) AS "usedNanoUsd"`,
);

const slices = sliceStatements({
  noun: 'counter',
  from: 'spend_counters c',
  alias: 'c',
  slices: 'counter_slices',
  fundId: 'counter_id',
  idType: 'bigint',
  lockedColumns: LOCKED_COUNTER_COLUMNS,
  isLeasable: 'true',
  available: '($5::bigint - locked.spent_nano_usd - locked.leased_nano_usd - locked.held_nano_usd)',
  answers: 'locked.id IS NOT NULL AS "isKnown"',
  setLeased: (term) => setCounter({ leased_nano_usd: term }),
});

// Two days leave time for settlements that come late from a journal. A settlement that comes even later is charged all
// the same, but no longer counted here, where nobody asks about the window any more.
const forget = forgetting(
  'ledger_forget_counters',
  'spend_counters',
  `window_end < now() - interval '2 days' AND leased_nano_usd = 0 AND held_nano_usd = 0
     AND NOT EXISTS (SELECT FROM counter_slices s WHERE s.counter_id = spend_counters.id)`,
);

/** A window of a cap, as a counter of it is named and seeded. */
type CounterWindow = Readonly<{ id: string; cap: SpendCap; startMs: number; endMs: number }>;

function windowValues({ id, cap, startMs, endMs }: CounterWindow): unknown[] {
  const { keyId, accountId, userIds, teamId } = cap.covers;
  const end = Number.isFinite(endMs) ? new Date(endMs) : null;
  return [cap.window, new Date(startMs), end, keyId ?? null, accountId ?? null, userIds ?? null, id, teamId ?? null];
}

/** Answers the counter's id, whichever process opened it. */
export async function openCounter(queryable: Queryable, window: CounterWindow): Promise<string> {
  const values = [...windowValues(window), window.cap.scope, window.cap.scopeId];
  const kind = seedKindOf(window.cap);
  let isUnused = kind.source === 'records';
  for (;;) {
    const statement = isUnused ? openUnusedStatement(kind) : openStatement(kind);
    const [row] = await queryable.query<{ id: bigint }>(statement, values);
    if (row !== undefined) return row.id.toString();
    // The window was used before; or another process opened the counter between this statement's look and its insert,
    // and the next look finds it.
    isUnused = false;
  }
}

/** What was spent in the window, and what reservations may still spend of it. */
export async function readCounter(queryable: Queryable, window: CounterWindow): Promise<NanoUsd> {
  const [row] = await queryable.query<{ usedNanoUsd: NanoUsd }>(
    readStatement(seedKindOf(window.cap)),
    windowValues(window),
  );
  return row?.usedNanoUsd ?? 0n;
}

type CounterLeaseRequest = Readonly<{
  counterId: string;
  limitNanoUsd: NanoUsd;
  processId: string;
  missingNanoUsd: NanoUsd;
  leastNanoUsd: NanoUsd;
}>;

export type CounterLeaseRow = Readonly<{
  isRegistered: boolean;
  /** False, and the figures null, when there is no such counter. */
  isKnown: boolean;
  grantedNanoUsd: NanoUsd | null;
  remainingNanoUsd: NanoUsd | null;
  leasedBeforeNanoUsd: NanoUsd | null;
  sharers: number | null;
}>;

export async function leaseCounterSlice(queryable: Queryable, request: CounterLeaseRequest): Promise<CounterLeaseRow> {
  const { counterId, processId, missingNanoUsd, leastNanoUsd, limitNanoUsd } = request;
  const values = [counterId, processId, missingNanoUsd, leastNanoUsd, limitNanoUsd];
  const rows = await queryable.query<CounterLeaseRow>(slices.lease, values);
  return rows[0] as CounterLeaseRow;
}

export async function lowerCounterSlices(
  queryable: Queryable,
  processId: string,
  returns: readonly SliceReturn[],
): Promise<void> {
  await queryable.query(slices.lower, [processId, returnsJson(returns)]);
}

export async function dropCounterSlices(
  queryable: Queryable,
  processId: string,
  counterIds: readonly string[],
): Promise<void> {
  await queryable.query(slices.drop, [processId, counterIds]);
}

export async function dropAllCounterSlices(queryable: Queryable, processId: string): Promise<void> {
  await queryable.query(slices.dropAll, [processId]);
}

/** Removes counters of windows that are long over: a breaker has a new one each minute for everybody who calls. */
export const forgetCounters = (queryable: Queryable): Promise<void> => forget(queryable, []);
