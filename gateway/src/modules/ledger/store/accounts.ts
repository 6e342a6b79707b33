// Accounts in the database: opening, reading and crediting. Slices, reservations and charges, which also change an
// account's row, have files of their own.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { ACCOUNT_NANO_USD_MAX, LOCKED_COLUMNS, setFigures } from './locked-rows.ts';
import type { AccountKind } from './slices.ts';

const openStatement = sql('ledger_open_account', 'insert into accounts (id) values ($1) on conflict (id) do nothing');

/** Charges of the account in $1 that its row does not have yet. */
const UNFOLDED = `select coalesce(sum(amount_nano_usd), 0)::bigint as amount from unfolded_charges where account_id = $1`;

const readStatement = sql(
  'ledger_read_account',
  `select a.kind, a.balance_nano_usd - unfolded.amount as "balanceNanoUsd",
          a.balance_nano_usd - unfolded.amount + a.credit_line_nano_usd as "spendableNanoUsd",
          a.total_credited_nano_usd as "totalCreditedNanoUsd",
          a.total_spent_nano_usd + unfolded.amount as "totalSpentNanoUsd"
   from accounts a cross join (${UNFOLDED}) unfolded where a.id = $1 and a.kind <> 'system'`,
);

const EXCEEDS = `locked.total_credited_nano_usd > ${ACCOUNT_NANO_USD_MAX} - locked.credit_line_nano_usd - $2::bigint`;

// The account is locked before the entry is written, so that a repeated reference waits for the first and then
// conflicts with it instead of being credited beside it.
const creditStatement = sql(
  'ledger_credit_account',
  `with locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a where a.id = $1 and a.kind <> 'system' for update
   ), inserted as (
     insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     select 'system-funding', id, $2, 'credit', $3, $4 from locked where not ${EXCEEDS}
     on conflict do nothing
     returning credit_account_id, amount_nano_usd
   ), credited as (
     update accounts a
     set ${setFigures({ balance_nano_usd: '+ i.amount_nano_usd', total_credited_nano_usd: '+ i.amount_nano_usd' })}
     from inserted i join locked on locked.id = i.credit_account_id
     where a.id = locked.id
   )
   select exists (select from inserted) as "isNew", ${EXCEEDS} as "isTooMuch" from locked`,
);

const readCreditStatement = sql(
  'ledger_read_credit',
  `select credit_account_id as "accountId", amount_nano_usd as "amountNanoUsd"
   from journal_entries where kind = 'credit' and reference = $1`,
);

export type AccountRow = Readonly<{
  kind: AccountKind;
  balanceNanoUsd: NanoUsd;
  spendableNanoUsd: NanoUsd;
  totalCreditedNanoUsd: NanoUsd;
  totalSpentNanoUsd: NanoUsd;
}>;

export type Credit = Readonly<{ accountId: string; amountNanoUsd: NanoUsd; note: string; reference: string }>;

export async function insertAccount(queryable: Queryable, accountId: string): Promise<void> {
  await queryable.query(openStatement, [accountId]);
}

export async function readAccount(queryable: Queryable, accountId: string): Promise<AccountRow | null> {
  const rows = await queryable.query<AccountRow>(readStatement, [accountId]);
  return rows[0] ?? null;
}

type CreditOutcome = Readonly<{
  balanceNanoUsd: NanoUsd;
  /** False when nothing has moved: the reference was used before, or the account would have too much. */
  isNew: boolean;
  isTooMuch: boolean;
}>;

type CreditRow = Readonly<{ isNew: boolean; isTooMuch: boolean }>;

/** Null when there is no such account. */
export async function insertCredit(queryable: Queryable, credit: Credit): Promise<CreditOutcome | null> {
  const values = [credit.accountId, credit.amountNanoUsd, credit.reference, credit.note];
  const [row] = await queryable.query<CreditRow>(creditStatement, values);
  if (row === undefined) return null;
  // Read by itself, because a fold may have come between the credit's snapshot and its lock.
  const account = await readAccount(queryable, credit.accountId);
  return { ...row, balanceNanoUsd: account?.balanceNanoUsd ?? 0n };
}

export async function readCredit(
  queryable: Queryable,
  reference: string,
): Promise<{ accountId: string; amountNanoUsd: NanoUsd } | null> {
  const rows = await queryable.query<{ accountId: string; amountNanoUsd: NanoUsd }>(readCreditStatement, [reference]);
  return rows[0] ?? null;
}

// The terms of an account in the database: whether it is paid in advance or monthly, and how far a monthly one may go
// below zero.

const openWithTermsStatement = sql(
  'ledger_open_account_with_terms',
  'insert into accounts (id, kind, credit_line_nano_usd) values ($1, $2, $3)',
);

const readTermsStatement = sql(
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
  await queryable.query(openWithTermsStatement, [accountId, terms.kind, terms.creditLineNanoUsd]);
}

export async function readTerms(queryable: Queryable, accountId: string): Promise<StandingRow | null> {
  const [row] = await queryable.query<StandingRow>(readTermsStatement, [accountId]);
  return row ?? null;
}

/** False when the account stands too low for them. */
export async function changeTerms(queryable: Queryable, accountId: string, terms: TermsRow): Promise<boolean> {
  return (await queryable.query(changeStatement, [accountId, terms.kind, terms.creditLineNanoUsd])).length === 1;
}
