// Entries by themselves, a stretch of ids in each statement: both sides are known accounts and the right ones, a refund
// gives back its charge, nothing is entered twice. And charges against the records of calls, in both directions. What looks
// wrong at first sight is looked at again by itself, at one moment, before it is called a discrepancy.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import type { NanoUsd } from '../../../../platform/money.ts';
import { type JournalSpan, usdText } from './span.ts';

const stretchStatement = sql(
  'ledger_audit_stretch',
  `select max(s.id) as "lastId", count(*) < $3 as "isLast", count(*) filter (where s.is_within) as entries,
          min(s.created_at) filter (where s.is_within)::text as "from",
          max(s.created_at) filter (where s.is_within)::text as "to"
   from (
     select id, created_at, created_at >= $4::timestamptz and created_at < $5::timestamptz as is_within
     from journal_entries where id > $1 and ($2::bigint is null or id <= $2) order by id limit $3
   ) s`,
);

/** A stretch of ids, with how many entries of the span it has and their times. */
export type Stretch = Readonly<{
  afterId: bigint;
  lastId: bigint;
  /** Nothing comes after it. */
  isLast: boolean;
  entries: bigint;
  from: string | null;
  to: string | null;
}>;

/** The next so many entries after an id; null when there are none. */
export async function nextStretch(
  session: Queryable,
  span: JournalSpan,
  { afterId, limit }: Readonly<{ afterId: bigint; limit: number }>,
): Promise<Stretch | null> {
  const values = [afterId, span.lastId, limit, span.since, span.until];
  const [row] = await session.query<Omit<Stretch, 'afterId' | 'lastId'> & { lastId: bigint | null }>(
    stretchStatement,
    values,
  );
  return row === undefined || row.lastId === null ? null : { ...row, afterId, lastId: row.lastId };
}

const WITHIN = 'e.id > $1 and e.id <= $2 and e.created_at >= $3::timestamptz and e.created_at < $4::timestamptz';
const within = (stretch: Stretch, span: JournalSpan): unknown[] => [
  stretch.afterId,
  stretch.lastId,
  span.since,
  span.until,
];

// Nearly all entries are charges as they should be, for which no words are put together.
const ORDINARY = `e.kind = 'charge' and e.amount_nano_usd >= 0 and e.credit_account_id = 'system-revenue'
     and debit.id is not null and credit.id is not null`;

const wordsStatement = sql(
  'ledger_audit_entries',
  `select 'entry ' || e.id || ': ' || found.words as discrepancy
   from journal_entries e
   left join accounts debit on debit.id = e.debit_account_id
   left join accounts credit on credit.id = e.credit_account_id
   cross join lateral (values
     ('amount is ' || ${usdText('e.amount_nano_usd')}, e.amount_nano_usd < 0),
     ('debits an unknown account ' || e.debit_account_id, debit.id is null),
     ('credits an unknown account ' || e.credit_account_id, credit.id is null),
     ('is a charge that does not go to revenue', e.kind = 'charge' and e.credit_account_id <> 'system-revenue'),
     ('is a credit that does not come from funding',
      e.kind in ('credit', 'restore') and e.debit_account_id <> 'system-funding'),
     ('takes credit back to elsewhere than funding', e.kind = 'reclaim' and e.credit_account_id <> 'system-funding'),
     ('is an adjustment without funding on one side',
      e.kind = 'adjustment' and 'system-funding' not in (e.debit_account_id, e.credit_account_id)),
     ('is a refund that does not give back its charge',
      e.kind = 'refund' and not is_archived_call(e.generation_id) and not exists (
        select from charge_of(e.generation_id) c
        where c.debit_account_id = e.credit_account_id and c.credit_account_id = e.debit_account_id
          and c.amount_nano_usd = e.amount_nano_usd))
   ) found (words, is_wrong)
   where ${WITHIN} and not (${ORDINARY}) and found.is_wrong
   order by e.id limit 100`,
);

export async function checkEntries(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const rows = await session.query<{ discrepancy: string }>(wordsStatement, within(stretch, span));
  return rows.map(({ discrepancy }) => discrepancy);
}

// Calls that end together began at about the same time, and ids are in the order of time: the records of nearly all charges
// of a stretch lie between two ids, and reading those costs a fraction of looking for each. The few that began much earlier
// or later are looked for one by one, first where the time in the id says; a call of a batch has its id from when the batch
// was sent, and old ids have no time.
const recordOf = (when: string): string =>
  `(select true from generations g
    where g.id = p.generation_id and ${when} and g.cost_nano_usd = p.amount_nano_usd
      and g.account_id = p.debit_account_id limit 1)`;
const ABOUT_THEN =
  "g.created_at >= $5::timestamptz - interval '31 days' and g.created_at < $6::timestamptz + interval '1 day'";
const unrecordedStatement = sql(
  'ledger_audit_unrecorded',
  `with part as materialized (
     select e.generation_id, e.amount_nano_usd, e.debit_account_id from journal_entries e
     where ${WITHIN} and e.kind = 'charge'
   ), bounds as materialized (
     select percentile_disc(array[0.01, 0.99]) within group (order by generation_id) as ids from part
     where length(generation_id) = 40
   ), near as materialized (
     select g.id, g.cost_nano_usd, g.account_id from bounds cross join lateral (
       select * from generations g where g.id >= ids[1] and g.id <= ids[2] and ${ABOUT_THEN} offset 0
     ) g
   ), far as materialized (
     select p.* from part p
     left join near n on n.id = p.generation_id and n.cost_nano_usd = p.amount_nano_usd
       and n.account_id = p.debit_account_id
     where n.id is null
   )
   select p.generation_id as id from far p where coalesce(
     ${recordOf(`g.created_at >= call_time(p.generation_id) - interval '5 minutes'
      and g.created_at < call_time(p.generation_id) + interval '5 minutes'`)},
     ${recordOf(ABOUT_THEN)}
   ) is null`,
);

/** Charges of the stretch whose record is not where it should be, or says something else. */
export async function findUnrecorded(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const values = [...within(stretch, span), stretch.from, stretch.to];
  return (await session.query<{ id: string }>(unrecordedStatement, values)).map(({ id }) => id);
}

const monthsStatement = sql(
  'ledger_audit_record_months',
  `select greatest(p.starts, $1::timestamptz)::text as since, least(p.ends, $2::timestamptz)::text as until, p.name
   from (
     select c.relname as name, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp at time zone 'UTC' as starts,
            (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as ends
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'generations'::regclass and c.relname ~ '^generations_\\d{4}_\\d{2}$'
   ) p
   where p.starts < $2::timestamptz and p.ends > $1::timestamptz
   order by p.starts`,
);

type RecordSpan = Readonly<{ since: string; until: string }>;

/** The span cut into the months that have records. */
export const listRecordSpans = (session: Queryable, { since, until }: JournalSpan): Promise<RecordSpan[]> =>
  session.query<RecordSpan>(monthsStatement, [since, until]);

const firstCallStatement = sql(
  'ledger_audit_first_call',
  `select 'gen-' || lpad(to_hex((extract(epoch from $1::timestamptz - interval '1 day') * 1000)::bigint), 12, '0') as id`,
);

/** Before every id of a call that began since; a day, because calls of batches have their ids from when they were sent. */
export async function firstCallSince(session: Queryable, since: string): Promise<string> {
  const [row] = await session.query<{ id: string }>(firstCallStatement, [since]);
  return row?.id ?? '';
}

// A charge is looked up by a subquery with a limit, which is one index probe for each record: a join is planned as a scan
// of all charges. What it costs is compared where the charges are read.
const recordsText = (from: string): string =>
  `with slice as materialized (
     select id, created_at, cost_nano_usd from ${from}
     where created_at >= $1::timestamptz and created_at < $2::timestamptz and id > $3 order by id limit $4
   )
   select case when count(*) = $4 then max(s.id) end as "lastId", array_agg(s.id) filter (where s.cost_nano_usd > 0
     and s.created_at >= archived_until() + interval '1 day' and (
     select true from charge_of(s.id) limit 1) is null) as uncharged
   from slice s`;

const recordsStatement = sql('ledger_audit_records', recordsText('generations'));
// What no month has taken; its times are any.
const strayRecordsStatement = sql('ledger_audit_stray_records', recordsText('generations_default'));

type CheckedRecords = Readonly<{ lastId: string | null; uncharged: readonly string[] | null }>;

/** Records of a cost without a charge, among so many after an id. */
export async function findUncharged(
  session: Queryable,
  span: RecordSpan,
  batch: Readonly<{ afterId: string; limit: number; isStray: boolean }>,
): Promise<CheckedRecords> {
  const statement = batch.isStray ? strayRecordsStatement : recordsStatement;
  const [row] = await session.query<CheckedRecords>(statement, [span.since, span.until, batch.afterId, batch.limit]);
  return row ?? { lastId: null, uncharged: null };
}

const exactStatement = sql(
  'ledger_audit_charges',
  `select coalesce(e.debit_account_id, g.account_id) as "accountId", g.id is not null as "isRecorded",
          coalesce(e.amount_nano_usd, 0)::bigint as "amountNanoUsd",
          exists (select from dropped_months d where d.account_id = e.debit_account_id) as "isDropped",
          'generation ' || coalesce(g.id, e.generation_id) || ': cost is '
            || coalesce(${usdText('g.cost_nano_usd')}, 'unrecorded') || ' on ' || coalesce(g.account_id, 'no account')
            || ', its charge is ' || coalesce(${usdText('e.amount_nano_usd')}, 'missing') || ' on '
            || coalesce(e.debit_account_id, 'no account') as discrepancy
   from (select c.* from unnest($1::text[]) as t (id) cross join lateral charge_of(t.id) c) e
   full join (select * from generations where id = any ($1::text[])) g on g.id = e.generation_id
   where g.id is null or g.cost_nano_usd <> coalesce(e.amount_nano_usd, 0)
      or g.account_id <> coalesce(e.debit_account_id, g.account_id)`,
);

type DifferingCharge = Readonly<{
  accountId: string;
  isRecorded: boolean;
  amountNanoUsd: NanoUsd;
  /** Records of old months are dropped, and then charges stand alone. */
  isDropped: boolean;
  discrepancy: string;
}>;

/** Of these calls, those whose charge and record differ, at one moment. */
export const findExactly = (session: Queryable, ids: readonly string[]): Promise<DifferingCharge[]> =>
  session.query<DifferingCharge>(exactStatement, [ids]);

// Where nothing is sealed, charges without a record are exactly what dropped months had cost; later a part of them.
const droppedStatement = sql(
  'ledger_audit_dropped',
  `select 'account ' || account_id || ': charges without a record are ' || ${usdText('coalesce(u.amount, 0)')}
          || ', dropped months say ' || ${usdText('dropped.amount')} as discrepancy
   from (
     select account_id, sum(cost_nano_usd) as amount from dropped_months
     where not $3::boolean or account_id = any ($1::text[]) group by account_id
   ) dropped
   left join unnest($1::text[], $2::bigint[]) as u (account_id, amount) using (account_id)
   where case when $3::boolean then coalesce(u.amount, 0) > dropped.amount else coalesce(u.amount, 0) <> dropped.amount end
   order by account_id limit 100`,
);

export async function checkDropped(
  session: Queryable,
  unrecorded: ReadonlyMap<string, NanoUsd>,
  isPart: boolean,
): Promise<string[]> {
  const values = [[...unrecorded.keys()], [...unrecorded.values()], isPart];
  return (await session.query<{ discrepancy: string }>(droppedStatement, values)).map((row) => row.discrepancy);
}

// Unique indexes keep entries from being entered twice; as long as they all stand, only neighbours are compared, should
// one be damaged.
const duplicatesText = (where: string): string =>
  `(select 'generation ' || e.generation_id || ': charged ' || count(*) || ' times' as discrepancy
    from journal_entries e where ${where} and e.kind = 'charge' group by e.generation_id having count(*) > 1 limit 100)
   union all
   (select 'reference ' || e.reference || ': entered ' || count(*) || ' times as ' || e.kind
    from journal_entries e where ${where} and e.kind <> 'charge' group by e.kind, e.reference having count(*) > 1
    limit 100)`;

const duplicatesStatement = sql('ledger_audit_duplicates', duplicatesText(WITHIN));
const allDuplicatesStatement = sql('ledger_audit_all_duplicates', duplicatesText('true'));
const indexesStatement = sql(
  'ledger_audit_indexes',
  `with standing as (
     select i.indrelid, a.attname, i.indexrelid from pg_index i
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
     where i.indisunique and i.indisvalid and i.indisready
   )
   select exists (select from standing where indexrelid = to_regclass('ledger_entries_one_credit')) and not exists (
     select from pg_partition_tree('journal_entries') p where p.isleaf and not exists (
       select from standing s where s.indrelid = p.relid and s.attname = 'generation_id')) as "isUnique"`,
);

export async function checkDuplicates(session: Queryable, stretch: Stretch, span: JournalSpan): Promise<string[]> {
  const rows = await session.query<{ discrepancy: string }>(duplicatesStatement, within(stretch, span));
  return rows.map(({ discrepancy }) => discrepancy);
}

/** The whole journal at once, where an index is missing that would have refused the second. */
export async function checkAllDuplicates(session: Queryable): Promise<string[]> {
  const [indexes] = await session.query<{ isUnique: boolean }>(indexesStatement);
  if (indexes?.isUnique === true) return [];
  const rows = await session.query<{ discrepancy: string }>(allDuplicatesStatement);
  return rows.map(({ discrepancy }) => discrepancy);
}
