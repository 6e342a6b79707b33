// The statements behind a month's statement: its charges, the issued copy, and what was paid for it. The ledger's
// tables are only read here.

import { formatMonth, type Month, monthEndMs, monthStartMs, parseMonth } from '../../../canonical/calendar.ts';
import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

// The entries decide the month. A record carries the time at which its call began, so it is looked for in a wider span,
// which also limits the partitions. A call that was refunded before the month was issued is not owed.
const linesStatement = sql(
  'orgs_charges_by_model',
  `SELECT coalesce(g.model_id, 'unknown') AS model, count(*)::integer AS requests,
          sum(e.amount_nano_usd - coalesce(r.amount_nano_usd, 0))::bigint AS "amountNanoUsd"
   FROM journal_entries e
   LEFT JOIN generations g ON g.id = e.generation_id AND g.account_id = $1
     AND g.created_at >= $2::timestamptz - interval '31 days' AND g.created_at < $3::timestamptz + interval '1 day'
   LEFT JOIN journal_entries r ON r.kind = 'refund' AND r.reference = e.generation_id
   WHERE e.kind = 'charge' AND e.debit_account_id = $1
     AND e.created_at >= $2::timestamptz AND e.created_at < $3::timestamptz
   GROUP BY 1
   ORDER BY 3 DESC, 1`,
);

const archivedStatement = sql('orgs_is_archived', 'SELECT $1::timestamptz < archived_until() AS "isArchived"');

/** Whether charges of the month have been archived and cannot be added up any more. */
export async function isArchived(queryable: Queryable, month: Month): Promise<boolean> {
  const [row] = await queryable.query<{ isArchived: boolean }>(archivedStatement, [new Date(monthStartMs(month))]);
  return row?.isArchived === true;
}

const issueStatement = sql(
  'orgs_issue_statement',
  `INSERT INTO statements (org_id, month, total_nano_usd, lines) VALUES ($1, $2::date, $3, $4::jsonb)
   ON CONFLICT (org_id, month) DO NOTHING`,
);

const findIssuedStatement = sql(
  'orgs_find_statement',
  'SELECT lines FROM statements WHERE org_id = $1 AND month = $2::date',
);

// The newest month first, because somebody may wait for it. Archived charges cannot be added up any more. Where a part
// begins is said of both tables, or each part would read the accounts of all those before it.
const unissuedStatement = sql(
  'orgs_list_unissued',
  `SELECT o.id AS "orgId", ARRAY (
     SELECT to_char(m.first_day, 'YYYY-MM')
     FROM generate_series(
       date_trunc('month', greatest(o.created_at, archived_until()) AT TIME ZONE 'UTC'), $1::date::timestamp,
       interval '1 month'
     ) AS m (first_day)
     WHERE NOT EXISTS (SELECT FROM statements s WHERE s.org_id = o.id AND s.month = m.first_day::date)
     ORDER BY m.first_day DESC
   ) AS months
   FROM organizations o JOIN accounts a ON a.id = o.id
   WHERE a.kind = 'monthly' AND o.id > $2 AND a.id > $2
   ORDER BY o.id LIMIT $3`,
);

// Held until the session ends.
const lockIssuingStatement = sql(
  'orgs_lock_issuing',
  'SELECT pg_try_advisory_lock(hashtextextended(\'statements\', 0)) AS "isLocked"',
);

/** False when another process is issuing statements. */
export async function lockIssuing(session: Queryable): Promise<boolean> {
  const [row] = await session.query<{ isLocked: boolean }>(lockIssuingStatement);
  return row?.isLocked === true;
}

const lockStatement = sql('orgs_lock', 'SELECT id FROM organizations WHERE id = $1 FOR UPDATE');

// A payment that is recorded and not yet in the ledger is no longer owed. Both are read at the same moment.
const owedStatement = sql(
  'orgs_read_owed',
  `SELECT greatest(0, -a.balance_nano_usd + coalesce((
            SELECT sum(c.amount_nano_usd) FROM unfolded_charges c WHERE c.account_id = $1
          ), 0) - coalesce((
            SELECT sum(p.amount_nano_usd) FROM statement_payments p
            WHERE p.org_id = $1 AND p.credited_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM journal_entries e WHERE e.kind = 'credit' AND e.reference = p.id)
          ), 0))::bigint AS "owedNanoUsd"
   FROM accounts a
   WHERE a.id = $1`,
);

const PAYMENT_COLUMNS = `id, org_id AS "orgId", amount_nano_usd AS "amountNanoUsd", reference, note,
  is_final AS "isFinal", created_at AS "createdAt", credited_at AS "creditedAt"`;

const listPaymentsStatement = sql(
  'orgs_list_payments',
  `SELECT ${PAYMENT_COLUMNS} FROM statement_payments WHERE org_id = $1 AND month = $2::date ORDER BY created_at, id`,
);

const insertPaymentStatement = sql(
  'orgs_insert_payment',
  `INSERT INTO statement_payments (id, org_id, month, amount_nano_usd, reference, note, is_final)
   VALUES ($1, $2, $3::date, $4, $5, $6, $7)
   RETURNING ${PAYMENT_COLUMNS}`,
);

const markCreditedStatement = sql(
  'orgs_mark_credited',
  'UPDATE statement_payments SET credited_at = now() WHERE id = $1 AND credited_at IS NULL',
);

const listUncreditedStatement = sql(
  'orgs_list_uncredited',
  `SELECT ${PAYMENT_COLUMNS} FROM statement_payments WHERE credited_at IS NULL ORDER BY created_at LIMIT 100`,
);

const firstDay = (month: Month): string => `${formatMonth(month)}-01`;

export type StatementLine = Readonly<{ model: string; requests: number; amountNanoUsd: NanoUsd }>;

export const readCharges = (queryable: Queryable, orgId: string, month: Month): Promise<readonly StatementLine[]> =>
  queryable.query<StatementLine>(linesStatement, [orgId, new Date(monthStartMs(month)), new Date(monthEndMs(month))]);

/** Does nothing when it is issued already. */
export async function issue(
  queryable: Queryable,
  orgId: string,
  statement: Readonly<{ month: Month; totalNanoUsd: NanoUsd; lines: readonly StatementLine[] }>,
): Promise<void> {
  const lines = statement.lines.map(({ model, requests, amountNanoUsd }) => ({
    model,
    requests,
    amount: amountNanoUsd.toString(),
  }));
  const values = [orgId, firstDay(statement.month), statement.totalNanoUsd, JSON.stringify(lines)];
  await queryable.query(issueStatement, values);
}

/** Null when it is not issued. */
export async function findIssued(
  queryable: Queryable,
  orgId: string,
  month: Month,
): Promise<readonly StatementLine[] | null> {
  type Row = { lines: readonly { model: string; requests: number; amount: string }[] };
  const [row] = await queryable.query<Row>(findIssuedStatement, [orgId, firstDay(month)]);
  if (row === undefined) return null;
  return row.lines.map(({ model, requests, amount }) => ({ model, requests, amountNanoUsd: BigInt(amount) }));
}

/** The months up to `lastMonth` in which an organization was there and of which it has no statement. */
export type UnissuedRow = Readonly<{ orgId: string; months: readonly Month[] }>;

type OrganizationSpan = Readonly<{ lastMonth: Month; afterOrgId: string; limit: number }>;

/** Monthly organizations in the order of their ids, also those that lack nothing. */
export async function listUnissued(
  queryable: Queryable,
  { lastMonth, afterOrgId, limit }: OrganizationSpan,
): Promise<readonly UnissuedRow[]> {
  const values = [firstDay(lastMonth), afterOrgId, limit];
  const rows = await queryable.query<{ orgId: string; months: readonly string[] }>(unissuedStatement, values);
  return rows.map(({ orgId, months }) => ({ orgId, months: months.map(parseMonth).filter((month) => month !== null) }));
}

/**
 * Locks the organization, so that its payments are recorded one after the other. False when there is no such
 * organization.
 */
export const lockOrganization = (transaction: Queryable, orgId: string): Promise<boolean> =>
  hasRow(transaction, lockStatement, [orgId]);

export async function readOwed(queryable: Queryable, orgId: string): Promise<NanoUsd> {
  const [row] = await queryable.query<{ owedNanoUsd: bigint }>(owedStatement, [orgId]);
  return row?.owedNanoUsd ?? 0n;
}

export type PaymentRow = Readonly<{
  id: string;
  orgId: string;
  amountNanoUsd: NanoUsd;
  reference: string;
  note: string;
  isFinal: boolean;
  createdAt: Date;
  creditedAt: Date | null;
}>;

export function listPayments(queryable: Queryable, orgId: string, month: Month): Promise<PaymentRow[]> {
  return queryable.query<PaymentRow>(listPaymentsStatement, [orgId, firstDay(month)]);
}

type NewPaymentRow = Omit<PaymentRow, 'createdAt' | 'creditedAt'> & Readonly<{ month: Month }>;

export async function insertPayment(queryable: Queryable, payment: NewPaymentRow): Promise<PaymentRow> {
  const { id, orgId, month, amountNanoUsd, reference, note, isFinal } = payment;
  const values = [id, orgId, firstDay(month), amountNanoUsd, reference, note, isFinal];
  const [row] = await queryable.query<PaymentRow>(insertPaymentStatement, values);
  return row as PaymentRow;
}

export async function markCredited(queryable: Queryable, paymentId: string): Promise<void> {
  await queryable.query(markCreditedStatement, [paymentId]);
}

export function listUncredited(queryable: Queryable): Promise<PaymentRow[]> {
  return queryable.query<PaymentRow>(listUncreditedStatement);
}
