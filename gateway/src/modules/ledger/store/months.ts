// Closes a month of the journal in four steps. It is shut: nothing is entered into it any more. The transactions that
// had begun before are waited for. Its entries are added up into checkpoints, in short transactions that each remember
// how far they came. Then it is sealed and never changes again.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { ACCOUNT_SUMS, COUNTER_SUMS } from './audit/sums.ts';

// The month after the last closed one; the first time, the month of the first entries. No row when there are none.
const dueStatement = sql(
  'ledger_months_due',
  `SELECT m.month AS "firstDay",
          (m.month + interval '1 month') AT TIME ZONE 'UTC' + $2::bigint * interval '1 millisecond'
            <= least(now(), $1::timestamptz) AS "isOver",
          EXISTS (
            SELECT FROM unfolded_batches u CROSS JOIN LATERAL unnest(u.called_at) AS t (called_at)
            WHERE t.called_at < (m.month + interval '1 month') AT TIME ZONE 'UTC'
          ) AS "isUnfolded"
   FROM (
     SELECT coalesce(
       (SELECT month FROM ledger_months WHERE sealed_at IS NULL ORDER BY month LIMIT 1),
       (SELECT (max(month) + interval '1 month')::date FROM ledger_months),
       (SELECT date_trunc('month', min(e.created_at) AT TIME ZONE 'UTC')::date
        FROM (SELECT created_at FROM journal_entries ORDER BY id LIMIT 10000) e)
     ) AS month
   ) m
   WHERE m.month IS NOT NULL`,
);

type DueMonth = Readonly<{
  firstDay: string;
  /** Over by the database's clock and this process's, with the waiting time added. */
  isOver: boolean;
  /** Some of its charges are not folded yet. */
  isUnfolded: boolean;
}>;

export async function findDueMonth(session: Queryable, nowMs: number, graceMs: number): Promise<DueMonth | null> {
  const [month] = await session.query<DueMonth>(dueStatement, [new Date(nowMs), graceMs]);
  return month ?? null;
}

const shutStatement = sql(
  'ledger_months_shut',
  'INSERT INTO ledger_months (month) VALUES ($1::date) ON CONFLICT DO NOTHING',
);

export async function shutMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(shutStatement, [firstDay]);
}

// A transaction that writes to the journal locks the table from before it looks at the closed months until its commit.
// A build from before the journal had partitions locks only the partition that it knows.
const writersStatement = sql(
  'ledger_months_writers',
  `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
   WHERE locktype = 'relation' AND relation IN ('journal_entries'::regclass, 'ledger_entries'::regclass)
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') AND granted`,
);

/** The transactions that are entering something at this moment. */
export async function listWriters(session: Queryable): Promise<ReadonlySet<string>> {
  const rows = await session.query<{ writer: string }>(writersStatement);
  return new Set(rows.map(({ writer }) => writer));
}

const settleStatement = sql(
  'ledger_months_settle',
  `UPDATE ledger_months SET
     closed_entry_id = coalesce((
       SELECT id FROM journal_entries WHERE created_at < ($1::date + interval '1 month') AT TIME ZONE 'UTC'
       ORDER BY id DESC LIMIT 1
     ), 0),
     summed_entry_id = coalesce((
       SELECT b.next_entry_id - 1 FROM ledger_months b WHERE b.month < $1::date ORDER BY b.month DESC LIMIT 1
     ), 0)
   WHERE month = $1::date AND closed_entry_id IS NULL`,
);

/** Every entry that the month will ever have is there. */
export async function settleMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(settleStatement, [firstDay]);
}

const sumStatement = sql(
  'ledger_months_sum',
  `WITH m AS MATERIALIZED (
     SELECT *, coalesce((
              SELECT (b.month + interval '1 month') AT TIME ZONE 'UTC' FROM ledger_months b WHERE b.month < $1::date
              ORDER BY b.month DESC LIMIT 1
            ), '-infinity') AS since,
            (month + interval '1 month') AT TIME ZONE 'UTC' AS until
     FROM ledger_months WHERE month = $1::date AND sealed_at IS NULL FOR UPDATE
   ), stretch AS MATERIALIZED (
     SELECT e.* FROM m CROSS JOIN LATERAL (
       SELECT * FROM journal_entries e WHERE e.id > m.summed_entry_id AND e.id <= m.closed_entry_id
       ORDER BY e.id LIMIT $2
     ) e
   ), part AS MATERIALIZED (
     SELECT s.* FROM stretch s CROSS JOIN m WHERE s.created_at >= m.since AND s.created_at < m.until
   ), sums AS MATERIALIZED (
     ${ACCOUNT_SUMS}
   ), kept AS (
     INSERT INTO ledger_checkpoints AS k (
       account_id, month, entries, credited_nano_usd, spent_nano_usd, taken_nano_usd,
       total_credited_nano_usd, total_spent_nano_usd, total_taken_nano_usd
     )
     SELECT s.account_id, $1::date, s.entries, s.credited, s.spent, s.taken,
            coalesce(b.total_credited_nano_usd, 0) + s.credited, coalesce(b.total_spent_nano_usd, 0) + s.spent,
            coalesce(b.total_taken_nano_usd, 0) + s.taken
     FROM sums s LEFT JOIN LATERAL (
       SELECT * FROM ledger_checkpoints b WHERE b.account_id = s.account_id AND b.month < $1::date
       ORDER BY b.month DESC LIMIT 1
     ) b ON true
     ON CONFLICT (account_id, month) DO UPDATE SET
       entries = k.entries + excluded.entries,
       credited_nano_usd = k.credited_nano_usd + excluded.credited_nano_usd,
       spent_nano_usd = k.spent_nano_usd + excluded.spent_nano_usd,
       taken_nano_usd = k.taken_nano_usd + excluded.taken_nano_usd,
       total_credited_nano_usd = k.total_credited_nano_usd + excluded.credited_nano_usd,
       total_spent_nano_usd = k.total_spent_nano_usd + excluded.spent_nano_usd,
       total_taken_nano_usd = k.total_taken_nano_usd + excluded.taken_nano_usd
   ), counted AS (
     INSERT INTO counter_checkpoints AS k (counter_id, month, counted_nano_usd)
     SELECT counter_id, $1::date, amount FROM (${COUNTER_SUMS}) sums
     ON CONFLICT (counter_id, month) DO UPDATE SET counted_nano_usd = k.counted_nano_usd + excluded.counted_nano_usd
   )
   UPDATE ledger_months u SET
     summed_entry_id = coalesce((SELECT max(id) FROM stretch), m.closed_entry_id),
     entries = u.entries + (SELECT count(*) FROM part),
     first_entry_id = coalesce(u.first_entry_id, (SELECT min(id) FROM part)),
     last_entry_id = coalesce((SELECT max(id) FROM part), u.last_entry_id),
     next_entry_id = coalesce(u.next_entry_id, (SELECT min(s.id) FROM stretch s WHERE s.created_at >= m.until))
   FROM m
   WHERE u.month = m.month AND m.closed_entry_id IS NOT NULL
   RETURNING u.summed_entry_id >= u.closed_entry_id AS "isSummed"`,
);

/** Adds up the next so many entries. True when nothing is left. */
export async function sumStretch(session: Queryable, firstDay: string, limit: number): Promise<boolean> {
  const [row] = await session.query<{ isSummed: boolean }>(sumStatement, [firstDay, limit]);
  return row?.isSummed !== false;
}

const sealStatement = sql(
  'ledger_months_seal',
  `UPDATE ledger_months SET sealed_at = now(), next_entry_id = coalesce(next_entry_id, closed_entry_id + 1)
   WHERE month = $1::date AND sealed_at IS NULL AND summed_entry_id >= closed_entry_id`,
);

export async function sealMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(sealStatement, [firstDay]);
}

const forgetStatement = sql(
  'ledger_months_forget_counters',
  `DELETE FROM counter_checkpoints k
   WHERE k.month < $1::date AND NOT EXISTS (
     SELECT FROM spend_counters c WHERE c.id = k.counter_id)`,
);

/** Counters of windows that are over are removed, and then their checkpoints are of no use. */
export async function forgetCounterCheckpoints(session: Queryable, firstDay: string): Promise<void> {
  await session.query(forgetStatement, [firstDay]);
}

// The monthly partitions of the journal. Database functions make and drop them, because the month is in a table's name.
// Partitions begin some time after an upgrade, when nobody can go back any more to a build that knows one table only; at
// once in a new database.

const ensureStatement = sql('ledger_ensure_month', 'SELECT ensure_journal_month($1::date) AS "isNew"');

/** `firstDay` is any day of the month. True when the month was not there yet. */
export async function ensureJournalMonth(queryable: Queryable, firstDay: string): Promise<boolean> {
  const [row] = await queryable.query<{ isNew: boolean }>(ensureStatement, [firstDay]);
  return row?.isNew === true;
}

// The first partition begins three days from now at the earliest, so that there is time to check the existing rows.
const beginStatement = sql(
  'ledger_begin_months',
  `SELECT CASE WHEN to_regclass('journal_entries_default') IS NOT NULL OR begin_months_of_new_database() THEN true
     WHEN EXISTS (SELECT FROM schema_migrations WHERE name LIKE '%-journal-by-month.sql'
                    AND applied_at > now() - $1::bigint * interval '1 millisecond')
       OR EXISTS (SELECT FROM processes WHERE NOT knows_months) THEN true
     ELSE begin_journal_months((date_trunc('month', now() AT TIME ZONE 'UTC' + interval '3 days') + interval '1 month')::date)
   END AS "isDone"`,
);

/** The next step towards months; true when there is none, or none yet. */
export async function beginJournalMonths(session: Queryable, afterUpgradeMs: number): Promise<boolean> {
  const [row] = await session.query<{ isDone: boolean }>(beginStatement, [afterUpgradeMs]);
  return row?.isDone !== false;
}

const dropStatement = sql('ledger_drop_month', 'SELECT drop_journal_month($1::date) AS dropped');

/**
 * Drops the partition of an archived month. Answers how many charges were in it; null when the month has no partition.
 */
export async function dropJournalMonth(session: Queryable, firstDay: string): Promise<bigint | null> {
  const [row] = await session.query<{ dropped: bigint | null }>(dropStatement, [firstDay]);
  return row?.dropped ?? null;
}
