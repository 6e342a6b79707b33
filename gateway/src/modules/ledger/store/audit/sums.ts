// What entries add up to for accounts and counters, a stretch of ids in each statement, in the order of entry. Sealing a
// month and the self-check both add up in this way; what the accounts' own indexes say is the other way.

import { type Queryable, sql } from '../../../../platform/db/database.ts';
import type { NanoUsd } from '../../../../platform/money.ts';
import type { JournalSpan } from './span.ts';

/** What each side of the entries of a relation has credited, spent and taken back. */
const sidesOf = (part: string): string => `
  select e.credit_account_id as account_id, case when e.kind = 'refund' then 0 else e.amount_nano_usd end as credited,
         case when e.kind = 'refund' then -e.amount_nano_usd else 0 end as spent, 0::bigint as taken
  from ${part} e where e.kind <> 'charge'
  union all
  select e.debit_account_id, case when e.kind in ('reclaim', 'adjustment') then -e.amount_nano_usd else 0 end,
         case when e.kind in ('reclaim', 'adjustment') then 0 else e.amount_nano_usd end,
         case when e.kind in ('reclaim', 'adjustment') then e.amount_nano_usd else 0 end
  from ${part} e`;

/** By account, of a relation of entries. */
export const accountSums = (part: string): string => `
  select s.account_id, count(*) as entries, sum(s.credited)::bigint as credited, sum(s.spent)::bigint as spent,
         sum(s.taken)::bigint as taken
  from (${sidesOf(part)}) s join accounts a on a.id = s.account_id and a.kind <> 'system'
  group by s.account_id`;

/** By counter, of those that are still there. */
export const counterSums = (part: string): string => `
  select t.counter_id, sum(e.amount_nano_usd)::bigint as amount
  from ${part} e cross join lateral unnest(e.counter_ids) as t (counter_id)
  where e.counter_ids is not null and exists (select from spend_counters c where c.id = t.counter_id)
  group by t.counter_id`;

const part = `part as materialized (
  select e.* from journal_entries e
  where e.id > $1 and e.id <= $2 and e.created_at >= $3::timestamptz and e.created_at < $4::timestamptz)`;

const accountsStatement = sql(
  'ledger_audit_sum_accounts',
  `with ${part} select account_id as "accountId", credited, spent, taken from (${accountSums('part')}) sums`,
);
const countersStatement = sql(
  'ledger_audit_sum_counters',
  `with ${part} select counter_id::text as "counterId", amount as "amountNanoUsd" from (${counterSums('part')}) sums`,
);

/** By counter. */
export type Counted = Map<string, NanoUsd>;

export type Moved = Readonly<{ credited: NanoUsd; spent: NanoUsd; taken: NanoUsd }>;

type Ids = Readonly<{ afterId: bigint; lastId: bigint }>;

const within = ({ afterId, lastId }: Ids, { since, until }: JournalSpan): unknown[] => [afterId, lastId, since, until];

export async function addCounts(session: Queryable, counted: Counted, ids: Ids, span: JournalSpan): Promise<void> {
  const rows = await session.query<{ counterId: string; amountNanoUsd: NanoUsd }>(countersStatement, within(ids, span));
  for (const { counterId, amountNanoUsd } of rows) {
    counted.set(counterId, (counted.get(counterId) ?? 0n) + amountNanoUsd);
  }
}

export async function addMoved(
  session: Queryable,
  moved: Map<string, Moved>,
  ids: Ids,
  span: JournalSpan,
): Promise<void> {
  const rows = await session.query<Moved & { accountId: string }>(accountsStatement, within(ids, span));
  for (const { accountId, credited, spent, taken } of rows) {
    const known = moved.get(accountId) ?? { credited: 0n, spent: 0n, taken: 0n };
    moved.set(accountId, {
      ...{ credited: known.credited + credited, spent: known.spent + spent, taken: known.taken + taken },
    });
  }
}
