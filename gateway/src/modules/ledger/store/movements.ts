// What came in and went back in a span of days, of all accounts together, and what is left on them: the other side of
// what calls were charged.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { KIND } from './entries.ts';

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
