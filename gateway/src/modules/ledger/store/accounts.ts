// Accounts in the database: opening, reading, crediting, and the durable holds that outlive a call. Slices and charges,
// which also change an account's row, have files of their own.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { LOCKED_COLUMNS, setFigures } from './locked-account.ts';

const openStatement = sql('ledger_open_account', 'insert into accounts (id) values ($1) on conflict (id) do nothing');

const readStatement = sql(
  'ledger_read_account',
  `select balance_nano_usd as "balanceNanoUsd",
          total_credited_nano_usd as "totalCreditedNanoUsd",
          total_spent_nano_usd as "totalSpentNanoUsd"
   from accounts where id = $1 and kind <> 'system'`,
);

// The account is locked before the entry is written, so that a repeated reference waits for the first and then
// conflicts with it instead of being credited beside it.
const creditStatement = sql(
  'ledger_credit_account',
  `with locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a where a.id = $1 and a.kind <> 'system' for update
   ), inserted as (
     insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     select 'system-funding', id, $2, 'credit', $3, $4 from locked
     on conflict (kind, reference) where reference is not null do nothing
     returning credit_account_id, amount_nano_usd
   ), credited as (
     update accounts a
     set ${setFigures({ balance_nano_usd: '+ i.amount_nano_usd', total_credited_nano_usd: '+ i.amount_nano_usd' })}
     from inserted i join locked on locked.id = i.credit_account_id
     where a.id = locked.id
     returning a.balance_nano_usd
   )
   select (select balance_nano_usd from credited) as "creditedBalanceNanoUsd",
          locked.balance_nano_usd as "balanceNanoUsd"
   from locked`,
);

const readCreditStatement = sql(
  'ledger_read_credit',
  `select credit_account_id as "accountId", amount_nano_usd as "amountNanoUsd"
   from ledger_entries where kind = 'credit' and reference = $1`,
);

const expireStatement = sql(
  'ledger_expire_reservations',
  `with due as materialized (
     select id, account_id from reservations
     where state = 'held' and expires_at < now() order by expires_at limit 500
   ), locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a
     where a.id in (select account_id from due) order by a.id for update
   ), expired as (
     update reservations r set state = 'expired', ended_at = now()
     from due join locked on locked.id = due.account_id
     where r.id = due.id and r.state = 'held'
     returning r.id, r.account_id, r.amount_nano_usd
   ), lowered as (
     update accounts a set ${setFigures({ held_nano_usd: '- t.amount' })}
     from (select account_id, sum(amount_nano_usd)::bigint as amount from expired group by account_id) t
     join locked on locked.id = t.account_id
     where a.id = locked.id
   )
   select id from expired`,
);

export type AccountRow = Readonly<{
  balanceNanoUsd: NanoUsd;
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

/** `isNew` is false when the reference was used before: then nothing has moved. Null when there is no such account. */
export async function insertCredit(
  queryable: Queryable,
  credit: Credit,
): Promise<{ balanceNanoUsd: NanoUsd; isNew: boolean } | null> {
  const rows = await queryable.query<{ creditedBalanceNanoUsd: NanoUsd | null; balanceNanoUsd: NanoUsd }>(
    creditStatement,
    [credit.accountId, credit.amountNanoUsd, credit.reference, credit.note],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const isNew = row.creditedBalanceNanoUsd !== null;
  return { balanceNanoUsd: row.creditedBalanceNanoUsd ?? row.balanceNanoUsd, isNew };
}

export async function readCredit(
  queryable: Queryable,
  reference: string,
): Promise<{ accountId: string; amountNanoUsd: NanoUsd } | null> {
  const rows = await queryable.query<{ accountId: string; amountNanoUsd: NanoUsd }>(readCreditStatement, [reference]);
  return rows[0] ?? null;
}

/** Returns the holds whose time has run out to their accounts, and how many there were. */
export async function expireReservations(queryable: Queryable): Promise<number> {
  return (await queryable.query(expireStatement)).length;
}
