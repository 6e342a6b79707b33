// The terms of an account in the database: whether it is paid in advance or monthly, and how far a monthly one may go
// below zero.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { ACCOUNT_NANO_USD_MAX, LOCKED_COLUMNS, setFigures } from './locked-rows.ts';
import type { AccountKind } from './slices.ts';

const openStatement = sql(
  'ledger_open_account_with_terms',
  'insert into accounts (id, kind, credit_line_nano_usd) values ($1, $2, $3)',
);

const readStatement = sql(
  'ledger_read_terms',
  `select a.kind, a.credit_line_nano_usd as "creditLineNanoUsd",
          a.balance_nano_usd - coalesce(
            (select sum(u.amount_nano_usd) from unfolded_charges u where u.account_id = $1), 0)::bigint as "balanceNanoUsd"
   from accounts a where a.id = $1 and a.kind <> 'system'`,
);

// What is owed, leased and held must fit the new line, and the line what an account can hold, or nothing changes.
const changeStatement = sql(
  'ledger_change_terms',
  `with locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a where a.id = $1 and a.kind <> 'system' for update
   )
   update accounts a
   set kind = $2, ${setFigures({ credit_line_nano_usd: '- locked.credit_line_nano_usd + $3::bigint' })}
   from locked
   where a.id = locked.id
     and locked.total_credited_nano_usd <= ${ACCOUNT_NANO_USD_MAX} - $3::bigint
     and locked.balance_nano_usd + $3::bigint - locked.leased_nano_usd - locked.held_nano_usd >= 0
   returning a.id`,
);

type TermsRow = Readonly<{ kind: AccountKind; creditLineNanoUsd: NanoUsd }>;

export type StandingRow = TermsRow & Readonly<{ balanceNanoUsd: NanoUsd }>;

export async function insertAccountWithTerms(queryable: Queryable, accountId: string, terms: TermsRow): Promise<void> {
  await queryable.query(openStatement, [accountId, terms.kind, terms.creditLineNanoUsd]);
}

export async function readTerms(queryable: Queryable, accountId: string): Promise<StandingRow | null> {
  const [row] = await queryable.query<StandingRow>(readStatement, [accountId]);
  return row ?? null;
}

/** False when the account stands too low for them. */
export async function changeTerms(queryable: Queryable, accountId: string, terms: TermsRow): Promise<boolean> {
  return (await queryable.query(changeStatement, [accountId, terms.kind, terms.creditLineNanoUsd])).length === 1;
}
