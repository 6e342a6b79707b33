// An account's entries as its statement shows them, newest first, each with the balance that it left behind. Everything
// that is read in one transaction is of one moment, and a charge that is not folded into the balance yet is taken off it
// here.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const beginStatement = sql('ledger_entries_begin', 'set transaction isolation level repeatable read read only');

/** What an entry is called outside; one kind of row may have come about in several ways. */
const KIND = `case
  when e.kind = 'credit' and e.reference like 'ord-%' then 'top_up'
  when e.kind = 'credit' and e.reference like 'pay-%' then 'payment'
  when e.kind = 'credit' and e.reference like 'welcome:%' then 'welcome_credit'
  when e.kind = 'credit' and e.reference like 'code:%' then 'code_credit'
  when e.kind = 'reclaim' then 'reversal'
  when e.kind = 'restore' then 'reversal_undone'
  else e.kind end`;

const moment = (micros: string): string => `('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond')`;
const FROM = moment('$2');
const TO = moment('$3');
/** What comes before this place is shown: that of a cursor, or the end of the span. */
const PLACE = `(${moment('$4')}, $5::bigint)`;
const IN_SPAN = `e.created_at >= ${FROM} and e.created_at < ${TO}`;

const COLUMNS = `e.id, e.created_at, ${KIND} as kind, e.generation_id, e.reference, e.note, null::bigint as calls`;
const NEWEST = 'order by e.created_at desc, e.id desc limit $6::integer';

/** `others` narrows the debits where charges are shown by the day. */
const singleRows = (others: string): string =>
  `(select ${COLUMNS}, -e.amount_nano_usd as amount from journal_entries e
    where e.debit_account_id = $1 and ${IN_SPAN} and (e.created_at, e.id) < ${PLACE} ${others} ${NEWEST})
   union all
   (select ${COLUMNS}, e.amount_nano_usd from journal_entries e
    where e.credit_account_id = $1 and e.kind <> 'charge' and ${IN_SPAN} and (e.created_at, e.id) < ${PLACE}
    ${NEWEST})`;

const rowsByDay = `${singleRows("and e.kind <> 'charge'")}
  union all
  (select * from (
     select max(e.id) as id, max(e.created_at) as created_at, 'charge' as kind, null as generation_id,
            null as reference, null as note, count(*) as calls, -sum(e.amount_nano_usd)::bigint as amount
     from journal_entries e where e.debit_account_id = $1 and e.kind = 'charge' and ${IN_SPAN}
     group by date_trunc('day', e.created_at, 'UTC')
   ) e where (e.created_at, e.id) < ${PLACE} ${NEWEST})`;

const SINCE = (side: string): string =>
  `coalesce((select sum(e.amount_nano_usd) from journal_entries e where ${side} and e.created_at >= ${TO}), 0)`;

const BALANCE = `(select a.balance_nano_usd - coalesce(
    (select sum(u.amount_nano_usd) from unfolded_charges u where u.account_id = $1), 0) as amount
   from accounts a where a.id = $1 and a.kind <> 'system')`;

/** The balance at the end of the span. */
const CLOSING = `(select b.amount + ${SINCE('e.debit_account_id = $1')}
   - ${SINCE("e.credit_account_id = $1 and e.kind <> 'charge'")} as amount from ${BALANCE} b)`;

// The record of a call carries the time at which it began, which says in which partitions to look.
const pageText = (rows: string): string =>
  `select e.id, e.created_at as "at", (extract(epoch from e.created_at) * 1000000)::bigint as micros, e.kind,
          e.amount as "amountNanoUsd", e.generation_id as "generationId", e.reference, e.note, e.calls,
          case when $7::bigint is null then (select c.amount from ${CLOSING} c)::bigint else $7 end as "startNanoUsd",
          (select g.model_id from generations g
           where g.id = e.generation_id and g.created_at >= e.created_at - interval '31 days'
             and g.created_at < e.created_at + interval '1 day') as model
   from (${rows}) e ${NEWEST}`;

const entriesStatement = sql('ledger_entries_page', pageText(singleRows('')));
const daysStatement = sql('ledger_entries_page_by_day', pageText(rowsByDay));

// Over all time the sum of charges is at hand: what was spent, and what of it was given back.
const sumsStatement = sql(
  'ledger_entries_sums',
  `select sums.kind, sums.amount::bigint as "amountNanoUsd", closing.amount::bigint as "closingNanoUsd"
   from ${CLOSING} closing left join lateral (
     select ${KIND} as kind, sum(case when e.credit_account_id = $1 then e.amount_nano_usd else -e.amount_nano_usd end)
       as amount
     from (
       select * from journal_entries e where e.debit_account_id = $1 and e.kind <> 'charge' and ${IN_SPAN}
       union all
       select * from journal_entries e where e.credit_account_id = $1 and e.kind <> 'charge' and ${IN_SPAN}
     ) e group by 1
     union all
     select 'charge', -case when $4::boolean then (
       select a.total_spent_nano_usd
         + coalesce((select sum(u.amount_nano_usd) from unfolded_charges u where u.account_id = $1), 0)
         + coalesce((select sum(r.amount_nano_usd) from journal_entries r
                     where r.credit_account_id = $1 and r.kind = 'refund'), 0)
       from accounts a where a.id = $1
     ) else (
       select coalesce(sum(e.amount_nano_usd), 0) from journal_entries e
       where e.debit_account_id = $1 and e.kind = 'charge' and ${IN_SPAN}
     ) end
   ) sums on true order by sums.kind`,
);

export type EntryRow = Readonly<{
  id: bigint;
  at: Date;
  micros: bigint;
  kind: string;
  /** Below zero when it lowered the balance. */
  amountNanoUsd: NanoUsd;
  generationId: string | null;
  reference: string | null;
  note: string | null;
  /** How many charges it stands for; null for a row that is one entry. */
  calls: bigint | null;
  /** The balance after the first row of the page. */
  startNanoUsd: NanoUsd;
  model: string | null;
}>;

export type EntrySpan = Readonly<{ accountId: string; fromMicros: bigint; toMicros: bigint }>;

type EntryPage = EntrySpan &
  Readonly<{
    before: Readonly<{ micros: bigint; id: bigint; balanceNanoUsd: NanoUsd }> | null;
    isByDay: boolean;
    limit: number;
  }>;

/** The first thing in a transaction. */
export async function beginReading(transaction: Queryable): Promise<void> {
  await transaction.query(beginStatement);
}

export function listEntries(queryable: Queryable, page: EntryPage): Promise<EntryRow[]> {
  const { accountId, fromMicros, toMicros, before, limit } = page;
  const place = [before?.micros ?? toMicros, before?.id ?? 0n];
  const values = [accountId, fromMicros, toMicros, ...place, limit, before?.balanceNanoUsd ?? null];
  return queryable.query<EntryRow>(page.isByDay ? daysStatement : entriesStatement, values);
}

type EntrySumRow = Readonly<{ kind: string; amountNanoUsd: NanoUsd; closingNanoUsd: NanoUsd }>;

/** By kind. No row when there is no such account. `isWhole` says that the span leaves nothing out. */
export const sumEntries = (queryable: Queryable, span: EntrySpan, isWhole: boolean): Promise<EntrySumRow[]> =>
  queryable.query<EntrySumRow>(sumsStatement, [span.accountId, span.fromMicros, span.toMicros, isWhole]);

// What came in and went back in a span of days, of all accounts together, and what is left on them: the other side of
// what calls were charged.

const movementsStatement = sql(
  'ledger_movements',
  `select ${KIND} as kind, (e.created_at at time zone 'UTC')::date::text as day, count(*) as entries,
     sum(case when e.debit_account_id like 'system-%' then e.amount_nano_usd else -e.amount_nano_usd end)::bigint
       as "amountNanoUsd"
   from journal_entries e
   where e.kind <> 'charge' and e.created_at >= $1::timestamp at time zone 'UTC'
     and e.created_at < ($2::timestamp + interval '1 day') at time zone 'UTC'
   group by 1, 2 order by 1, 2`,
);

export type MovementRow = Readonly<{ kind: string; day: string; entries: bigint; amountNanoUsd: NanoUsd }>;

/** By kind and day (UTC); both days count. What customers got is above zero. */
export const readMovements = (queryable: Queryable, firstDay: string, lastDay: string): Promise<MovementRow[]> =>
  queryable.query<MovementRow>(movementsStatement, [firstDay, lastDay]);

const balancesStatement = sql(
  'ledger_all_balances',
  `select (coalesce(sum(a.balance_nano_usd) filter (where a.kind = 'prepaid' and a.balance_nano_usd > 0), 0) - coalesce((
     select sum(u.amount_nano_usd) from unfolded_charges u join accounts p on p.id = u.account_id
     where p.kind = 'prepaid'), 0))::bigint as "prepaidNanoUsd",
     coalesce(sum(a.balance_nano_usd) filter (where a.balance_nano_usd < 0), 0)::bigint as "owedNanoUsd"
   from accounts a where a.kind <> 'system'`,
);

export type BalancesRow = Readonly<{ prepaidNanoUsd: NanoUsd; owedNanoUsd: NanoUsd }>;

/** What customers have paid and not used, and what they owe (below zero). */
export async function readBalances(queryable: Queryable): Promise<BalancesRow> {
  const [row] = await queryable.query<BalancesRow>(balancesStatement);
  return row ?? { prepaidNanoUsd: 0n, owedNanoUsd: 0n };
}
