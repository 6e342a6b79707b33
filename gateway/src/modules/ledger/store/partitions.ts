// The monthly partitions of the journal. The functions that make and drop one are the database's own, because their
// statements have the month in a table's name. Months begin some time after an upgrade, when nobody can go back any more to
// a build that knows one table only.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const ensureStatement = sql('ledger_ensure_month', 'select ensure_journal_month($1::date) as "isNew"');

/** `firstDay` is any day of the month. True when the month was not there yet. */
export async function ensureJournalMonth(queryable: Queryable, firstDay: string): Promise<boolean> {
  const [row] = await queryable.query<{ isNew: boolean }>(ensureStatement, [firstDay]);
  return row?.isNew === true;
}

// The first month begins three days from now at the earliest, so that the look through what is there has time.
const beginStatement = sql(
  'ledger_begin_months',
  `select case when to_regclass('journal_entries_default') is not null then true
     when exists (select from schema_migrations where name like '%-journal-by-month.sql'
                    and applied_at > now() - $1::bigint * interval '1 millisecond')
       or exists (select from processes where not knows_months) then true
     else begin_journal_months((date_trunc('month', now() at time zone 'UTC' + interval '3 days') + interval '1 month')::date)
   end as "isDone"`,
);

/** The next step towards months; true when there is none, or none yet. */
export async function beginJournalMonths(session: Queryable, afterUpgradeMs: number): Promise<boolean> {
  const [row] = await session.query<{ isDone: boolean }>(beginStatement, [afterUpgradeMs]);
  return row?.isDone !== false;
}

const dropStatement = sql('ledger_drop_month', 'select drop_journal_month($1::date) as dropped');

/** Of an archived month. Answers how many charges went; null when the month has no partition. */
export async function dropJournalMonth(session: Queryable, firstDay: string): Promise<bigint | null> {
  const [row] = await session.query<{ dropped: bigint | null }>(dropStatement, [firstDay]);
  return row?.dropped ?? null;
}
