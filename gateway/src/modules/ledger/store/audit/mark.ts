// The mark: up to which entry the journal was read and found sound, and the sums up to there. No entry may appear at or
// below the mark later, so it never passes an id that a transaction may still be writing with; ids that are handed out
// later are above it, whatever their time says.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { ACCOUNT_SUMS, COUNTER_SUMS } from './sums.ts';

// One check at a time, because each goes on from the end of the last. Held until the session ends.
const lockStatement = sql('ledger_mark_lock', "SELECT pg_advisory_lock(hashtextextended('ledger mark', 0))");

export async function lockMark(session: Queryable): Promise<void> {
  await session.query(lockStatement);
}

// A mark before the end of the last sealed month is of no use: the month's charges may be archived by now.
const readStatement = sql(
  'ledger_mark_read',
  `SELECT m.base_month AS "baseMonth",
          coalesce((m.base_month + interval '1 month') AT TIME ZONE 'UTC', '-infinity')::text AS since,
          m.entry_id AS "entryId", m.entries, m.everything_at AS "everythingAt",
          coalesce(m.records_until - interval '1 hour',
                   (m.base_month + interval '1 month') AT TIME ZONE 'UTC', '-infinity')::text AS "recordsSince"
   FROM ledger_mark m
   WHERE m.everything_at IS NOT NULL AND m.entry_id >= coalesce((
     SELECT greatest(s.last_entry_id, s.next_entry_id - 1) FROM ledger_months s
     WHERE s.sealed_at IS NOT NULL ORDER BY s.month DESC LIMIT 1), 0)`,
);

export type Mark = Readonly<{
  baseMonth: string | null;
  /** The end of that month, as the database writes it. */
  since: string;
  entryId: bigint;
  /** How many entries have been read. */
  entries: bigint;
  /**
   * Records of calls that began before this time have been checked. One hour allows for clocks that differ and for long
   * calls.
   */
  recordsSince: string;
  everythingAt: Date | null;
}>;

/** Null when there is none to go on from. */
export async function readMark(session: Queryable): Promise<Mark | null> {
  const [mark] = await session.query<Mark>(readStatement);
  return mark ?? null;
}

const forgetStatement = sql('ledger_mark_forget', 'TRUNCATE ledger_mark, checked_accounts, checked_counters');
const beginStatement = sql('ledger_mark_begin', 'INSERT INTO ledger_mark (base_month, entry_id) VALUES ($1::date, $2)');

/** Begins a new mark after a sealed month, or at the first entry. */
export async function beginMark(
  session: Queryable,
  { baseMonth, afterId }: Readonly<{ baseMonth: string | null; afterId: bigint }>,
): Promise<void> {
  await session.query(forgetStatement);
  await session.query(beginStatement, [baseMonth, afterId]);
}

const newestStatement = sql(
  'ledger_mark_newest',
  `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS id, now()::text AS "readAt"
   FROM journal_entry_id`,
);

/** The newest id that was handed out, whether or not its entry is visible, and the database's time. */
export async function readNewest(session: Queryable): Promise<Readonly<{ id: bigint; readAt: string }>> {
  const [row] = await session.query<{ id: bigint; readAt: string }>(newestStatement);
  return row as { id: bigint; readAt: string };
}

const keepStatement = sql(
  'ledger_mark_keep',
  `WITH part AS MATERIALIZED (
     SELECT e.* FROM journal_entries e WHERE e.id > $1 AND e.id <= $2 AND e.created_at >= $3::timestamptz
   ), accounts_kept AS (
     INSERT INTO checked_accounts AS k (account_id, credited_nano_usd, spent_nano_usd, taken_nano_usd)
     SELECT account_id, credited, spent, taken FROM (${ACCOUNT_SUMS}) sums
     ON CONFLICT (account_id) DO UPDATE SET credited_nano_usd = k.credited_nano_usd + excluded.credited_nano_usd,
       spent_nano_usd = k.spent_nano_usd + excluded.spent_nano_usd,
       taken_nano_usd = k.taken_nano_usd + excluded.taken_nano_usd
   ), counters_kept AS (
     INSERT INTO checked_counters AS k (counter_id, counted_nano_usd)
     SELECT counter_id, amount FROM (${COUNTER_SUMS}) sums
     ON CONFLICT (counter_id) DO UPDATE SET counted_nano_usd = k.counted_nano_usd + excluded.counted_nano_usd
   )
   UPDATE ledger_mark SET entry_id = $2, entries = entries + (SELECT count(*) FROM part)
   WHERE entry_id = $1`,
);

/** Adds the entries of a stretch to the stored sums and moves the mark, both or neither. */
export async function keepStretch(
  session: Queryable,
  { afterId, lastId }: Readonly<{ afterId: bigint; lastId: bigint }>,
  since: string,
): Promise<void> {
  await session.query(keepStatement, [afterId, lastId, since]);
}

const recordsStatement = sql('ledger_mark_records', 'UPDATE ledger_mark SET records_until = $1::timestamptz');
const everythingStatement = sql('ledger_mark_everything', 'UPDATE ledger_mark SET everything_at = now()');
const forgetCountersStatement = sql(
  'ledger_mark_forget_counters',
  'DELETE FROM checked_counters k WHERE NOT EXISTS (SELECT FROM spend_counters c WHERE c.id = k.counter_id)',
);

/** Every record of a call that began before this has its charge. */
export async function keepRecords(session: Queryable, readAt: string): Promise<void> {
  await session.query(recordsStatement, [readAt]);
}

/** Notes that everything was checked without a discrepancy. */
export async function keepEverything(session: Queryable): Promise<void> {
  await session.query(everythingStatement);
}

/** Removes sums of counters that were removed because their windows are over. */
export async function forgetCounters(session: Queryable): Promise<void> {
  await session.query(forgetCountersStatement);
}
