// What providers have reported about money that went back, and the orders whose credit has to follow. A notification
// names only the payment; the order of that payment says whose credit it is.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { ORDER_COLUMNS, type OrderRow } from './orders.ts';

// Sums only grow until a final statement, so the order of arrival does not matter.
const insertStatement = sql(
  'payments_insert_reversal',
  `INSERT INTO payment_reversals AS r (provider, payment_id, source_id, currency, amount_minor, is_final)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (provider, payment_id, source_id) DO UPDATE
   SET amount_minor = CASE WHEN excluded.is_final THEN excluded.amount_minor
                           ELSE greatest(r.amount_minor, excluded.amount_minor) END,
       is_final = excluded.is_final, is_applied = false, updated_at = now()
   WHERE NOT r.is_final AND r.currency = excluded.currency`,
);

const lockOrderStatement = sql(
  'payments_lock_order',
  `SELECT ${ORDER_COLUMNS} FROM top_up_orders WHERE id = $1 FOR UPDATE`,
);

const sumStatement = sql(
  'payments_sum_reversals',
  `SELECT coalesce(sum(amount_minor), 0)::bigint AS "reversedMinor" FROM payment_reversals
   WHERE provider = $1 AND payment_id = $2 AND currency = $3`,
);

const applyStatement = sql(
  'payments_apply_reversals',
  `UPDATE payment_reversals SET is_applied = true
   WHERE provider = $1 AND payment_id = $2 AND NOT is_applied`,
);

const correctStatement = sql(
  'payments_correct_order',
  `UPDATE top_up_orders SET reclaimed_nano_usd = $3, correction_count = correction_count + 1
   WHERE id = $1 AND account_id = $2`,
);

// Reversals of payments that are not ours are never applied, so only recent ones are looked through.
const listWaitingStatement = sql(
  'payments_list_waiting_reversals',
  `SELECT DISTINCT o.id, o.user_id AS "userId" FROM payment_reversals r
   JOIN top_up_orders o ON o.provider = r.provider AND o.payment_id = r.payment_id
   WHERE NOT r.is_applied AND r.updated_at > now() - interval '30 days' AND o.state = 'paid' LIMIT 100`,
);

type ReversalRow = Readonly<{
  provider: string;
  paymentId: string;
  sourceId: string;
  currency: string;
  amountMinor: bigint;
  isFinal: boolean;
}>;

/** Does nothing for a reversal that is stored already. */
export async function insertReversal(queryable: Queryable, reversal: ReversalRow): Promise<void> {
  const { provider, paymentId, sourceId, currency, amountMinor, isFinal } = reversal;
  await queryable.query(insertStatement, [provider, paymentId, sourceId, currency, amountMinor, isFinal]);
}

export const lockOrder = (transaction: Queryable, orderId: string): Promise<OrderRow | null> =>
  firstRow(transaction, lockOrderStatement, [orderId]);

/** In the smallest unit of the order's currency. May be more than was paid, where a refund and a dispute overlap. */
export async function sumReversals(
  queryable: Queryable,
  { provider, currency }: OrderRow,
  paymentId: string,
): Promise<bigint> {
  const values = [provider, paymentId, currency];
  const [row] = await queryable.query<{ reversedMinor: bigint }>(sumStatement, values);
  return row?.reversedMinor ?? 0n;
}

export async function markApplied(queryable: Queryable, provider: string, paymentId: string): Promise<void> {
  await queryable.query(applyStatement, [provider, paymentId]);
}

export async function correctOrder(
  queryable: Queryable,
  { id, accountId }: OrderRow,
  reclaimedNanoUsd: bigint,
): Promise<void> {
  await queryable.query(correctStatement, [id, accountId, reclaimedNanoUsd]);
}

/** Orders whose credit does not follow the reversals of their payment yet. */
export function listUnreversed(queryable: Queryable): Promise<readonly Pick<OrderRow, 'id' | 'userId'>[]> {
  return queryable.query<Pick<OrderRow, 'id' | 'userId'>>(listWaitingStatement);
}
