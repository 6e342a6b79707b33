// The part of the journal that an audit reads: a span of time, and where its entries lie by their ids. Ids are given in
// about the order of time, so the ids bound what is read and the time decides what counts.

import { type Queryable, sql } from '../../../../platform/db/database.ts';

/** Times as the database writes them, with its infinities. */
export type JournalSpan = Readonly<{
  since: string;
  until: string;
  /** The id of the last entry before the span. */
  afterId: bigint;
  /** Null: up to the newest. */
  lastId: bigint | null;
  /** The month that the span begins after, as its first day; null when nothing is sealed before it. */
  baseMonth: string | null;
}>;

const openSpanStatement = sql(
  'ledger_audit_open_span',
  `SELECT coalesce((m.month + interval '1 month') AT TIME ZONE 'UTC', '-infinity')::text AS since,
          'infinity' AS until, coalesce(m.next_entry_id - 1, 0)::bigint AS "afterId", NULL::bigint AS "lastId",
          m.month AS "baseMonth"
   FROM (VALUES (1)) one
   LEFT JOIN (SELECT * FROM ledger_months WHERE sealed_at IS NOT NULL ORDER BY month DESC LIMIT 1) m ON true`,
);

/** Everything after the last sealed month. */
export async function readOpenSpan(session: Queryable): Promise<JournalSpan> {
  const [span] = await session.query<JournalSpan>(openSpanStatement);
  return span as JournalSpan;
}

const monthSpanStatement = sql(
  'ledger_audit_month_span',
  `SELECT coalesce((before.month + interval '1 month') AT TIME ZONE 'UTC', '-infinity')::text AS since,
          ((m.month + interval '1 month') AT TIME ZONE 'UTC')::text AS until,
          coalesce(m.first_entry_id - 1, 0)::bigint AS "afterId", coalesce(m.last_entry_id, 0)::bigint AS "lastId",
          before.month AS "baseMonth"
   FROM ledger_months m
   LEFT JOIN LATERAL (SELECT month FROM ledger_months b WHERE b.month < m.month ORDER BY b.month DESC LIMIT 1) before
     ON true
   WHERE m.month = $1::date AND m.closed_entry_id IS NOT NULL`,
);

/** Null when the month is not closed. */
export async function readMonthSpan(session: Queryable, firstDay: string): Promise<JournalSpan | null> {
  const [span] = await session.query<JournalSpan>(monthSpanStatement, [firstDay]);
  return span ?? null;
}

// One session at a time seals or archives months, and none does while another reads them.
const LOCK = "hashtextextended('ledger months', 0)";
const readLockStatement = sql('ledger_audit_read_lock', `SELECT pg_advisory_lock_shared(${LOCK})`);
const writeLockStatement = sql('ledger_months_lock', `SELECT pg_try_advisory_lock(${LOCK}) AS "isLocked"`);

/** Locks until the session ends. */
export async function lockMonthsForReading(session: Queryable): Promise<void> {
  await session.query(readLockStatement);
}

/** Locks until the session ends; false when another session reads or writes months. */
export async function lockMonthsForWriting(session: Queryable): Promise<boolean> {
  const [row] = await session.query<{ isLocked: boolean }>(writeLockStatement);
  return row?.isLocked === true;
}

// An amount in the words of a discrepancy, as people write it, to the last nano-dollar.

/** SQL for the text of an amount that is an expression in nano-USD. */
export const usdText = (amount: string): string => `'$' || trim_scale((${amount})::numeric / 1000000000)`;
