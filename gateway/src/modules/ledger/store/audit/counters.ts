// Counters of caps against the entries that name them, and reservations against their charges. No index finds the
// entries of a counter: they are added up stretch by stretch while entries are read, and compared at the end, together
// with what earlier checks have kept and whatever has come since, at one moment.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import { type JournalSpan, usdText } from './span.ts';
import type { Counted } from './sums.ts';

const compareStatement = sql(
  'ledger_audit_counters',
  `with batch as materialized (
     select * from spend_counters where id > $1 and id <= $2
   ), counted as (
     select counter_id, sum(amount) as amount from (
       select * from unnest($3::bigint[], $4::bigint[]) as given (counter_id, amount)
       union all
       select k.counter_id, k.counted_nano_usd from counter_checkpoints k
       where k.month <= $5::date and k.counter_id in (select id from batch)
       union all
       select k.counter_id, k.counted_nano_usd from checked_counters k where k.counter_id > $1 and k.counter_id <= $2
       union all
       select t.counter_id, e.amount_nano_usd
       from journal_entries e cross join lateral unnest(e.counter_ids) as t (counter_id)
       where e.id > $6::bigint and e.created_at >= $7::timestamptz and e.counter_ids is not null
       union all
       select counter_id, -amount_nano_usd from unfolded_counts
     ) counts group by counter_id
   )
   select 'counter ' || c.name || ': ' || found.words as discrepancy
   from batch c left join counted on counted.counter_id = c.id
   cross join lateral (
     select coalesce(sum(s.amount_nano_usd), 0) as amount from counter_slices s where s.counter_id = c.id
   ) sliced
   left join (
     select t.counter_id, sum(t.part) as amount
     from reservations r cross join lateral unnest(r.counter_ids, r.counter_parts) as t (counter_id, part)
     where r.state = 'held' group by t.counter_id
   ) held on held.counter_id = c.id
   cross join lateral (values
     ('spent is ' || ${usdText('c.spent_nano_usd')} || ', its entries say '
      || ${usdText('c.seeded_nano_usd + coalesce(counted.amount, 0)')},
      c.spent_nano_usd <> c.seeded_nano_usd + coalesce(counted.amount, 0)),
     ('leased is ' || ${usdText('c.leased_nano_usd')} || ', its slices say ' || ${usdText('sliced.amount')},
      c.leased_nano_usd <> sliced.amount),
     ('held is ' || ${usdText('c.held_nano_usd')} || ', its reservations say ' || ${usdText('coalesce(held.amount, 0)')},
      c.held_nano_usd <> coalesce(held.amount, 0))
   ) found (words, is_wrong)
   where found.is_wrong order by c.id`,
);

const batchStatement = sql(
  'ledger_audit_counter_batch',
  `select max(id) as "lastId", count(*) < $2 as "isLast"
   from (select id from spend_counters where id > $1 order by id limit $2) batch`,
);

/** `counted` and what is kept have the entries of the span up to this id. */
type CountedUpTo = Readonly<{ counted: Counted; countedId: bigint }>;

/** Every counter; bounded statements, each of one moment. */
export async function compareCounters(
  session: Queryable,
  { counted, countedId }: CountedUpTo,
  { span, limit }: Readonly<{ span: JournalSpan; limit: number }>,
): Promise<readonly string[]> {
  const sums = [...counted].map(([id, amount]) => ({ id: BigInt(id), amount })).sort((a, b) => (a.id < b.id ? -1 : 1));
  const found: string[] = [];
  let afterId = 0n;
  let place = 0;
  for (;;) {
    const [batch] = await session.query<{ lastId: bigint | null; isLast: boolean }>(batchStatement, [afterId, limit]);
    const lastId = batch?.lastId ?? null;
    if (lastId === null) return found;
    const begin = place;
    while (place < sums.length && (sums[place]?.id ?? 0n) <= lastId) place += 1;
    const given = sums.slice(begin, place);
    const values = [
      afterId,
      lastId,
      given.map(({ id }) => id),
      given.map(({ amount }) => amount),
      ...[span.baseMonth, countedId, span.since],
    ];
    for (const row of await session.query<{ discrepancy: string }>(compareStatement, values))
      found.push(row.discrepancy);
    if (batch?.isLast === true) return found;
    afterId = lastId;
  }
}

const monthStatement = sql(
  'ledger_audit_month_counters',
  `select 'counter ' || c.name || ': its checkpoint counts ' || ${usdText('coalesce(k.counted_nano_usd, 0)')}
          || ', the entries of the month say ' || ${usdText('coalesce(given.amount, 0)')} as discrepancy
   from (select * from counter_checkpoints where month = $1::date) k
   full join unnest($2::bigint[], $3::bigint[]) as given (counter_id, amount) using (counter_id)
   join spend_counters c on c.id = counter_id
   where coalesce(k.counted_nano_usd, 0) <> coalesce(given.amount, 0)
   order by c.id limit 100`,
);

/** The counters' checkpoints of a closed month. */
export async function checkMonthCounters(session: Queryable, firstDay: string, counted: Counted): Promise<string[]> {
  const values = [firstDay, [...counted.keys()], [...counted.values()]];
  return (await session.query<{ discrepancy: string }>(monthStatement, values)).map((row) => row.discrepancy);
}

// A durable reservation ends in the transaction that enters its charge, so both lie in the same month.
const reservationsStatement = sql(
  'ledger_audit_reservations',
  `with batch as materialized (
     select * from reservations where id > $1 order by id limit $2
   )
   select (select case when count(*) = $2 then max(id) end from batch) as "lastId", array(
     select 'reservation ' || r.id || ': ' || r.state || ' with ' || ${usdText('coalesce(r.charged_nano_usd, 0)')} || ' of '
            || ${usdText('r.amount_nano_usd')} || ', its charge is ' || ${usdText('coalesce(e.amount_nano_usd, 0)')} || ' on '
            || coalesce(e.debit_account_id, 'no account')
     from batch r left join lateral (
       select * from charge_of(r.id) limit 1
     ) e on true
     where coalesce(r.ended_at, 'infinity') >= $3::timestamptz
       and (coalesce(r.charged_nano_usd, 0) <> coalesce(e.amount_nano_usd, 0)
            or coalesce(e.debit_account_id, r.account_id) <> r.account_id)
   ) as discrepancies`,
);

type CheckedReservations = Readonly<{ lastId: string | null; discrepancies: readonly string[] }>;

export async function checkReservations(
  session: Queryable,
  since: string,
  batch: Readonly<{ afterId: string; limit: number }>,
): Promise<CheckedReservations> {
  const values = [batch.afterId, batch.limit, since];
  const [row] = await session.query<CheckedReservations>(reservationsStatement, values);
  return row ?? { lastId: null, discrepancies: [] };
}

const heldStatement = sql(
  'ledger_audit_counts',
  `select (select count(*) from reservations where state = 'held') as "heldReservations",
          (select coalesce(sum(entries), 0) from ledger_months where month <= $1::date)::bigint as "sealedEntries"`,
);

type AuditCounts = Readonly<{ heldReservations: bigint; sealedEntries: bigint }>;

export async function readCounts(session: Queryable, { baseMonth }: JournalSpan): Promise<AuditCounts> {
  const [row] = await session.query<AuditCounts>(heldStatement, [baseMonth]);
  return row as AuditCounts;
}
