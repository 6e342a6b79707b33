// Closing a month of the journal. First it is shut: nothing is entered into it from then on. Then those who had begun
// before are waited for. Then its entries are added up into checkpoints, in short transactions that each remember how far
// they came. At last it is sealed, and never changed again.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { accountSums, counterSums } from './audit/sums.ts';

// The month after the last closed one; the first time, that of the first entries. No row when there are none.
const dueStatement = sql(
  'ledger_months_due',
  `select m.month as "firstDay",
          (m.month + interval '1 month') at time zone 'UTC' + $2::bigint * interval '1 millisecond'
            <= least(now(), $1::timestamptz) as "isOver",
          exists (
            select from unfolded_batches u cross join lateral unnest(u.called_at) as t (called_at)
            where t.called_at < (m.month + interval '1 month') at time zone 'UTC'
          ) as "isUnfolded"
   from (
     select coalesce(
       (select month from ledger_months where sealed_at is null order by month limit 1),
       (select (max(month) + interval '1 month')::date from ledger_months),
       (select date_trunc('month', min(e.created_at) at time zone 'UTC')::date
        from (select created_at from journal_entries order by id limit 10000) e)
     ) as month
   ) m where m.month is not null`,
);

type DueMonth = Readonly<{
  firstDay: string;
  /** By the database's clock and this process's, and for as long as is waited. */
  isOver: boolean;
  /** Calls of it are not in the balances and sums yet. */
  isUnfolded: boolean;
}>;

export async function findDueMonth(session: Queryable, nowMs: number, graceMs: number): Promise<DueMonth | null> {
  const [month] = await session.query<DueMonth>(dueStatement, [new Date(nowMs), graceMs]);
  return month ?? null;
}

const shutStatement = sql(
  'ledger_months_shut',
  'insert into ledger_months (month) values ($1::date) on conflict do nothing',
);

export async function shutMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(shutStatement, [firstDay]);
}

// Whoever enters something has a lock on the table from before its look at the closed months until it has committed. A
// build from before the journal had partitions locks only the one that it knows.
const writersStatement = sql(
  'ledger_months_writers',
  `select distinct virtualtransaction as writer from pg_locks
   where locktype = 'relation' and relation in ('journal_entries'::regclass, 'ledger_entries'::regclass)
     and database = (select oid from pg_database where datname = current_database())
     and mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') and granted`,
);

/** The transactions that are entering something at this moment. */
export async function listWriters(session: Queryable): Promise<ReadonlySet<string>> {
  const rows = await session.query<{ writer: string }>(writersStatement);
  return new Set(rows.map(({ writer }) => writer));
}

const settleStatement = sql(
  'ledger_months_settle',
  `update ledger_months set
     closed_entry_id = coalesce((
       select id from journal_entries where created_at < ($1::date + interval '1 month') at time zone 'UTC'
       order by id desc limit 1
     ), 0),
     summed_entry_id = coalesce((
       select b.next_entry_id - 1 from ledger_months b where b.month < $1::date order by b.month desc limit 1
     ), 0)
   where month = $1::date and closed_entry_id is null`,
);

/** All that the month will ever have is there. */
export async function settleMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(settleStatement, [firstDay]);
}

const sumStatement = sql(
  'ledger_months_sum',
  `with m as materialized (
     select *, coalesce((
              select (b.month + interval '1 month') at time zone 'UTC' from ledger_months b where b.month < $1::date
              order by b.month desc limit 1
            ), '-infinity') as since,
            (month + interval '1 month') at time zone 'UTC' as until
     from ledger_months where month = $1::date and sealed_at is null for update
   ), stretch as materialized (
     select e.* from m cross join lateral (
       select * from journal_entries e where e.id > m.summed_entry_id and e.id <= m.closed_entry_id
       order by e.id limit $2
     ) e
   ), part as materialized (
     select s.* from stretch s cross join m where s.created_at >= m.since and s.created_at < m.until
   ), sums as materialized (
     ${accountSums('part')}
   ), kept as (
     insert into ledger_checkpoints as k (
       account_id, month, entries, credited_nano_usd, spent_nano_usd, taken_nano_usd,
       total_credited_nano_usd, total_spent_nano_usd, total_taken_nano_usd
     )
     select s.account_id, $1::date, s.entries, s.credited, s.spent, s.taken,
            coalesce(b.total_credited_nano_usd, 0) + s.credited, coalesce(b.total_spent_nano_usd, 0) + s.spent,
            coalesce(b.total_taken_nano_usd, 0) + s.taken
     from sums s left join lateral (
       select * from ledger_checkpoints b where b.account_id = s.account_id and b.month < $1::date
       order by b.month desc limit 1
     ) b on true
     on conflict (account_id, month) do update set
       entries = k.entries + excluded.entries,
       credited_nano_usd = k.credited_nano_usd + excluded.credited_nano_usd,
       spent_nano_usd = k.spent_nano_usd + excluded.spent_nano_usd,
       taken_nano_usd = k.taken_nano_usd + excluded.taken_nano_usd,
       total_credited_nano_usd = k.total_credited_nano_usd + excluded.credited_nano_usd,
       total_spent_nano_usd = k.total_spent_nano_usd + excluded.spent_nano_usd,
       total_taken_nano_usd = k.total_taken_nano_usd + excluded.taken_nano_usd
   ), counted as (
     insert into counter_checkpoints as k (counter_id, month, counted_nano_usd)
     select counter_id, $1::date, amount from (${counterSums('part')}) sums
     on conflict (counter_id, month) do update set counted_nano_usd = k.counted_nano_usd + excluded.counted_nano_usd
   )
   update ledger_months u set
     summed_entry_id = coalesce((select max(id) from stretch), m.closed_entry_id),
     entries = u.entries + (select count(*) from part),
     first_entry_id = coalesce(u.first_entry_id, (select min(id) from part)),
     last_entry_id = coalesce((select max(id) from part), u.last_entry_id),
     next_entry_id = coalesce(u.next_entry_id, (select min(s.id) from stretch s where s.created_at >= m.until))
   from m where u.month = m.month and m.closed_entry_id is not null
   returning u.summed_entry_id >= u.closed_entry_id as "isSummed"`,
);

/** Adds up the next so many entries. True when nothing is left. */
export async function sumStretch(session: Queryable, firstDay: string, limit: number): Promise<boolean> {
  const [row] = await session.query<{ isSummed: boolean }>(sumStatement, [firstDay, limit]);
  return row?.isSummed !== false;
}

const sealStatement = sql(
  'ledger_months_seal',
  `update ledger_months set sealed_at = now(), next_entry_id = coalesce(next_entry_id, closed_entry_id + 1)
   where month = $1::date and sealed_at is null and summed_entry_id >= closed_entry_id`,
);

export async function sealMonth(session: Queryable, firstDay: string): Promise<void> {
  await session.query(sealStatement, [firstDay]);
}

const forgetStatement = sql(
  'ledger_months_forget_counters',
  `delete from counter_checkpoints k where k.month < $1::date and not exists (
     select from spend_counters c where c.id = k.counter_id)`,
);

/** Counters of windows that are over are removed, and then their checkpoints are of no use. */
export async function forgetCounterCheckpoints(session: Queryable, firstDay: string): Promise<void> {
  await session.query(forgetStatement, [firstDay]);
}

// The monthly partitions of the journal. The functions that make and drop one are the database's own, because their
// statements have the month in a table's name. Months begin some time after an upgrade, when nobody can go back any
// more to a build that knows one table only.

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
