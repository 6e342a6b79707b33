// The monthly partitions of the calls' records. Database functions make and drop them, because the month is in a
// table's name.

import { dayStartMs, monthAfter } from '../../../canonical/calendar.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';

const ensureStatement = sql('usage_ensure_month', 'SELECT ensure_generation_month($1::date) AS "isNew"');

/** `day` is any day of the month. True when the month was made now. */
export async function ensureMonth(queryable: Queryable, day: string): Promise<boolean> {
  const [row] = await queryable.query<{ isNew: boolean }>(ensureStatement, [day]);
  return row?.isNew === true;
}

const dropStatement = sql('usage_drop_month', 'SELECT drop_generation_month($1::date) AS "isDropped"');

/** The sums of the month stay. False when there was no such month. */
export async function dropMonth(queryable: Queryable, firstDay: string): Promise<boolean> {
  const [row] = await queryable.query<{ isDropped: boolean }>(dropStatement, [firstDay]);
  return row?.isDropped === true;
}

const listStatement = sql(
  'usage_list_months',
  `SELECT replace(substring(c.relname FROM 'generations_(\\d{4}_\\d{2})$'), '_', '-') || '-01' AS "firstDay"
   FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = 'generations'::regclass AND c.relname ~ '^generations_\\d{4}_\\d{2}$'
   ORDER BY 1`,
);

/** The first days of the months that have a partition, in order. */
export async function listMonths(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ firstDay: string }>(listStatement);
  return rows.map((row) => row.firstDay);
}

const droppedStatement = sql(
  'usage_dropped_months',
  `SELECT DISTINCT month AS "firstDay" FROM dropped_months
   WHERE month BETWEEN $1::date AND $2::date
   ORDER BY 1`,
);

/** Months between two days whose records are gone, by their first days. */
export async function listDroppedMonths(queryable: Queryable, firstDay: string, lastDay: string): Promise<string[]> {
  const firstMonth = monthAfter(dayStartMs(firstDay) ?? 0, 0);
  const rows = await queryable.query<{ firstDay: string }>(droppedStatement, [firstMonth, lastDay]);
  return rows.map((row) => row.firstDay);
}

// Removes a part at a time, in the order in which rows are stored: no lock is held for long, and no call waits, because
// calls do not add to days that are so old.
const forgetHoursStatement = sql(
  'usage_forget_hours',
  `WITH old AS (
     SELECT ctid FROM usage_hourly WHERE day < $1::date LIMIT $2 FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM usage_hourly h USING old WHERE h.ctid = old.ctid RETURNING 1
   )
   SELECT count(*)::integer AS rows FROM gone`,
);

/** For days before this one; answers how many rows were removed, at most the given number. The daily sums stay. */
export async function forgetHours(queryable: Queryable, day: string, rowsMax: number): Promise<number> {
  const [row] = await queryable.query<{ rows: number }>(forgetHoursStatement, [day, rowsMax]);
  return row?.rows ?? 0;
}
