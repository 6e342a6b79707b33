// Accounts in the database: opening, reading and crediting. Slices, reservations and charges, which also change an
// account's row, have files of their own.

import type { Credit } from '../../../canonical/credit.ts';
import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import type { AccountView } from '../ledger.ts';
import { ACCOUNT_NANO_USD_MAX, LOCKED_COLUMNS, setFigures } from './locked-rows.ts';
import type { AccountKind } from './slices.ts';

const openStatement = sql('ledger_open_account', 'INSERT INTO accounts (id) VALUES ($1) ON CONFLICT (id) DO NOTHING');

/** Charges of the account in $1 that are not folded into its row yet. */
const UNFOLDED = `SELECT coalesce(sum(amount_nano_usd), 0)::bigint AS amount FROM unfolded_charges WHERE account_id = $1`;

const readStatement = sql(
  'ledger_read_account',
  `SELECT a.kind, a.balance_nano_usd - unfolded.amount AS "balanceNanoUsd",
          a.balance_nano_usd - unfolded.amount + a.credit_line_nano_usd AS "spendableNanoUsd",
          a.held_nano_usd AS "heldNanoUsd",
          a.total_credited_nano_usd AS "totalCreditedNanoUsd",
          a.total_spent_nano_usd + unfolded.amount AS "totalSpentNanoUsd"
   FROM accounts a CROSS JOIN (${UNFOLDED}) unfolded
   WHERE a.id = $1 AND a.kind <> 'system'`,
);

const EXCEEDS = `locked.total_credited_nano_usd > ${ACCOUNT_NANO_USD_MAX} - locked.credit_line_nano_usd - $2::bigint`;

// The account is locked before the entry is written, so that a repeated reference waits for the first and then
// conflicts with it instead of being credited beside it.
const creditStatement = sql(
  'ledger_credit_account',
  `WITH locked AS MATERIALIZED (
     SELECT ${LOCKED_COLUMNS} FROM accounts a WHERE a.id = $1 AND a.kind <> 'system' FOR UPDATE
   ), inserted AS (
     INSERT INTO journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     SELECT 'system-funding', id, $2, 'credit', $3, $4 FROM locked WHERE NOT ${EXCEEDS}
     ON CONFLICT DO NOTHING
     RETURNING credit_account_id, amount_nano_usd
   ), credited AS (
     UPDATE accounts a
     SET ${setFigures({ balance_nano_usd: '+ i.amount_nano_usd', total_credited_nano_usd: '+ i.amount_nano_usd' })}
     FROM inserted i JOIN locked ON locked.id = i.credit_account_id
     WHERE a.id = locked.id
   )
   SELECT EXISTS (SELECT FROM inserted) AS "isNew", ${EXCEEDS} AS "isTooMuch" FROM locked`,
);

const readCreditStatement = sql(
  'ledger_read_credit',
  `SELECT credit_account_id AS "accountId", amount_nano_usd AS "amountNanoUsd"
   FROM journal_entries
   WHERE kind = 'credit' AND reference = $1`,
);

export async function insertAccount(queryable: Queryable, accountId: string): Promise<void> {
  await queryable.query(openStatement, [accountId]);
}

export const readAccount = (queryable: Queryable, accountId: string): Promise<AccountView | null> =>
  firstRow(queryable, readStatement, [accountId]);

type CreditOutcome = Readonly<{
  balanceNanoUsd: NanoUsd;
  /** False when nothing has moved: the reference was used before, or the account would exceed its maximum. */
  isNew: boolean;
  isTooMuch: boolean;
}>;

type CreditRow = Readonly<{ isNew: boolean; isTooMuch: boolean }>;

/** Null when there is no such account. */
export async function insertCredit(queryable: Queryable, credit: Credit): Promise<CreditOutcome | null> {
  const values = [credit.accountId, credit.amountNanoUsd, credit.reference, credit.note];
  const [row] = await queryable.query<CreditRow>(creditStatement, values);
  if (row === undefined) return null;
  // Read by another statement, because a fold may have come between the credit's snapshot and its lock.
  const account = await readAccount(queryable, credit.accountId);
  return { ...row, balanceNanoUsd: account?.balanceNanoUsd ?? 0n };
}

export const readCredit = (
  queryable: Queryable,
  reference: string,
): Promise<Pick<Credit, 'accountId' | 'amountNanoUsd'> | null> => firstRow(queryable, readCreditStatement, [reference]);

// The terms of an account in the database: whether it is paid in advance or monthly, and how far a monthly one may go
// below zero.

const openWithTermsStatement = sql(
  'ledger_open_account_with_terms',
  'INSERT INTO accounts (id, kind, credit_line_nano_usd) VALUES ($1, $2, $3)',
);

const readTermsStatement = sql(
  'ledger_read_terms',
  `SELECT a.kind, a.credit_line_nano_usd AS "creditLineNanoUsd",
          a.balance_nano_usd - coalesce(
            (SELECT sum(u.amount_nano_usd) FROM unfolded_charges u WHERE u.account_id = $1), 0)::bigint AS "balanceNanoUsd"
   FROM accounts a
   WHERE a.id = $1 AND a.kind <> 'system'`,
);

// What is owed, leased and held must fit within the new line, and the line within the account's maximum; otherwise
// nothing changes.
const changeStatement = sql(
  'ledger_change_terms',
  `WITH locked AS MATERIALIZED (
     SELECT ${LOCKED_COLUMNS} FROM accounts a WHERE a.id = $1 AND a.kind <> 'system' FOR UPDATE
   )
   UPDATE accounts a
   SET kind = $2, ${setFigures({ credit_line_nano_usd: '- locked.credit_line_nano_usd + $3::bigint' })}
   FROM locked
   WHERE a.id = locked.id
     AND locked.total_credited_nano_usd <= ${ACCOUNT_NANO_USD_MAX} - $3::bigint
     AND locked.balance_nano_usd + $3::bigint - locked.leased_nano_usd - locked.held_nano_usd >= 0
   RETURNING a.id`,
);

type TermsRow = Readonly<{ kind: AccountKind; creditLineNanoUsd: NanoUsd }>;

export type StandingRow = TermsRow & Readonly<{ balanceNanoUsd: NanoUsd }>;

export async function insertAccountWithTerms(queryable: Queryable, accountId: string, terms: TermsRow): Promise<void> {
  await queryable.query(openWithTermsStatement, [accountId, terms.kind, terms.creditLineNanoUsd]);
}

export const readTerms = (queryable: Queryable, accountId: string): Promise<StandingRow | null> =>
  firstRow(queryable, readTermsStatement, [accountId]);

/** False when the account owes or uses too much for the new terms. */
export const changeTerms = (queryable: Queryable, accountId: string, terms: TermsRow): Promise<boolean> =>
  hasRow(queryable, changeStatement, [accountId, terms.kind, terms.creditLineNanoUsd]);
