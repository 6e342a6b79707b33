// The mark: up to which entry the journal was read and found sound, and what it adds up to until there. Nothing may be
// entered at or below the mark later, so it never goes beyond an id that somebody may still be writing with; and ids that
// are handed out late are above it whatever their time says.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { accountSums, counterSums } from './sums.ts';

// One check at a time: each goes on from the other's end. Held until the session ends.
const lockStatement = sql('ledger_mark_lock', "select pg_advisory_lock(hashtextextended('ledger mark', 0))");

export async function lockMark(session: Queryable): Promise<void> {
  await session.query(lockStatement);
}

// A mark that is behind the last sealed month is of no use: the month's charges may be archived by now.
const readStatement = sql(
  'ledger_mark_read',
  `select m.base_month as "baseMonth",
          coalesce((m.base_month + interval '1 month') at time zone 'UTC', '-infinity')::text as since,
          m.entry_id as "entryId", m.entries, m.everything_at as "everythingAt",
          coalesce(m.records_until - interval '1 hour',
                   (m.base_month + interval '1 month') at time zone 'UTC', '-infinity')::text as "recordsSince"
   from ledger_mark m
   where m.everything_at is not null and m.entry_id >= coalesce((
     select greatest(s.last_entry_id, s.next_entry_id - 1) from ledger_months s
     where s.sealed_at is not null order by s.month desc limit 1), 0)`,
);

export type Mark = Readonly<{
  baseMonth: string | null;
  /** The end of that month, as the database writes it. */
  since: string;
  entryId: bigint;
  /** So many are read. */
  entries: bigint;
  /** Records of calls that began before are looked through. An hour covers what clocks differ by and what calls last. */
  recordsSince: string;
  everythingAt: Date | null;
}>;

/** Null when there is none to go on from. */
export async function readMark(session: Queryable): Promise<Mark | null> {
  const [mark] = await session.query<Mark>(readStatement);
  return mark ?? null;
}

const forgetStatement = sql('ledger_mark_forget', 'truncate ledger_mark, checked_accounts, checked_counters');
const beginStatement = sql('ledger_mark_begin', 'insert into ledger_mark (base_month, entry_id) values ($1::date, $2)');

/** Begins anew after a sealed month, or with the first entry. */
export async function beginMark(
  session: Queryable,
  { baseMonth, afterId }: Readonly<{ baseMonth: string | null; afterId: bigint }>,
): Promise<void> {
  await session.query(forgetStatement);
  await session.query(beginStatement, [baseMonth, afterId]);
}

const newestStatement = sql(
  'ledger_mark_newest',
  `select case when is_called then last_value else last_value - 1 end as id, now()::text as "readAt"
   from journal_entry_id`,
);

/** The newest id that was handed out, whether or not its entry is to be seen, and the database's time. */
export async function readNewest(session: Queryable): Promise<Readonly<{ id: bigint; readAt: string }>> {
  const [row] = await session.query<{ id: bigint; readAt: string }>(newestStatement);
  return row as { id: bigint; readAt: string };
}

const keepStatement = sql(
  'ledger_mark_keep',
  `with part as materialized (
     select e.* from journal_entries e where e.id > $1 and e.id <= $2 and e.created_at >= $3::timestamptz
   ), accounts_kept as (
     insert into checked_accounts as k (account_id, credited_nano_usd, spent_nano_usd, taken_nano_usd)
     select account_id, credited, spent, taken from (${accountSums('part')}) sums
     on conflict (account_id) do update set credited_nano_usd = k.credited_nano_usd + excluded.credited_nano_usd,
       spent_nano_usd = k.spent_nano_usd + excluded.spent_nano_usd,
       taken_nano_usd = k.taken_nano_usd + excluded.taken_nano_usd
   ), counters_kept as (
     insert into checked_counters as k (counter_id, counted_nano_usd)
     select counter_id, amount from (${counterSums('part')}) sums
     on conflict (counter_id) do update set counted_nano_usd = k.counted_nano_usd + excluded.counted_nano_usd
   )
   update ledger_mark set entry_id = $2, entries = entries + (select count(*) from part) where entry_id = $1`,
);

/** Adds the entries of a stretch to what is kept and has the mark follow: both or neither. */
export async function keepStretch(
  session: Queryable,
  { afterId, lastId }: Readonly<{ afterId: bigint; lastId: bigint }>,
  since: string,
): Promise<void> {
  await session.query(keepStatement, [afterId, lastId, since]);
}

const recordsStatement = sql('ledger_mark_records', 'update ledger_mark set records_until = $1::timestamptz');
const everythingStatement = sql('ledger_mark_everything', 'update ledger_mark set everything_at = now()');
const forgetCountersStatement = sql(
  'ledger_mark_forget_counters',
  'delete from checked_counters k where not exists (select from spend_counters c where c.id = k.counter_id)',
);

/** Every record of a call that began before this has its charge. */
export async function keepRecords(session: Queryable, readAt: string): Promise<void> {
  await session.query(recordsStatement, [readAt]);
}

/** Everything was checked and nothing found. */
export async function keepEverything(session: Queryable): Promise<void> {
  await session.query(everythingStatement);
}

/** Counters of windows that are over are removed, and then what they counted is of no use. */
export async function forgetCounters(session: Queryable): Promise<void> {
  await session.query(forgetCountersStatement);
}
