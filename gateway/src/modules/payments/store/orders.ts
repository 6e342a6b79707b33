// The statements on top-up orders. A customer's statements name the account, and the user unless everybody's orders are
// asked for. Notifications of the provider know an order by its id, which nobody can guess, and are checked against its
// figures before they get here.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { newId } from '../../../platform/ids.ts';
import type { OrderPrice } from '../price-order.ts';

type OrderState = 'created' | 'expired' | 'paying' | 'paid';

export type OrderRow = Readonly<{
  id: string;
  accountId: string;
  userId: string;
  provider: string;
  currency: string;
  rateNano: bigint;
  creditNanoUsd: bigint;
  feeNanoUsd: bigint;
  vatNanoUsd: bigint;
  totalNanoUsd: bigint;
  totalMinor: bigint;
  state: OrderState;
  sessionId: string | null;
  /** The provider's id of the payment, once it is known. */
  paymentId: string | null;
  checkoutUrl: string | null;
  createdAt: Date;
  paidAt: Date | null;
  /** The part of the credit that was taken back with the money. */
  reclaimedNanoUsd: bigint;
  correctionCount: number;
  /** Paid with a saved card because the balance ran low. */
  isAutomatic: boolean;
}>;

export const ORDER_COLUMNS = `id, account_id AS "accountId", user_id AS "userId", provider, currency, rate_nano AS "rateNano",
  credit_nano_usd AS "creditNanoUsd", fee_nano_usd AS "feeNanoUsd", vat_nano_usd AS "vatNanoUsd",
  total_nano_usd AS "totalNanoUsd", total_minor AS "totalMinor", state, session_id AS "sessionId",
  checkout_url AS "checkoutUrl", created_at AS "createdAt", paid_at AS "paidAt", payment_id AS "paymentId",
  reclaimed_nano_usd AS "reclaimedNanoUsd", correction_count AS "correctionCount",
  is_automatic AS "isAutomatic"`;

const insertStatement = sql(
  'payments_insert_order',
  `INSERT INTO top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
     vat_nano_usd, total_nano_usd, total_minor)
   SELECT $1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint
   WHERE (SELECT count(*) FROM top_up_orders
          WHERE account_id = $2 AND user_id = $3 AND created_at > now() - interval '1 day' AND state = 'created') < $12
   RETURNING ${ORDER_COLUMNS}`,
);

const openSessionStatement = sql(
  'payments_open_session',
  `UPDATE top_up_orders SET session_id = $4, checkout_url = $5
   WHERE id = $1 AND account_id = $2 AND user_id = $3
   RETURNING ${ORDER_COLUMNS}`,
);

const findOwnStatement = sql(
  'payments_find_own_order',
  `SELECT ${ORDER_COLUMNS} FROM top_up_orders WHERE id = $1 AND account_id = $2 AND ($3::text IS NULL OR user_id = $3)`,
);

// The page begins after the order that the cursor names; a cursor of another owner's order gives an empty page.
const listOwnStatement = sql(
  'payments_list_own_orders',
  `SELECT ${ORDER_COLUMNS} FROM top_up_orders
   WHERE account_id = $1 AND ($2::text IS NULL OR user_id = $2)
     AND ($3::text IS NULL OR (created_at, id) < (
       SELECT c.created_at, c.id FROM top_up_orders c
       WHERE c.id = $3 AND c.account_id = $1 AND ($2::text IS NULL OR c.user_id = $2)))
   ORDER BY created_at DESC, id DESC LIMIT $4`,
);

// For the operator, who sees all accounts. A search reads every order, which only few people do.
const listAllStatement = sql(
  'payments_list_all_orders',
  `SELECT ${ORDER_COLUMNS}, (SELECT u.email FROM users u WHERE u.id = o.user_id) AS "email"
   FROM top_up_orders o
   WHERE ($1::text IS NULL OR state = $1)
     AND ($2::text IS NULL OR $2 IN (id, account_id, user_id, session_id, payment_id)
       OR user_id IN (SELECT u.id FROM users u WHERE u.email_normalized = lower($2)))
     AND ($3::text IS NULL OR (created_at, id) < (SELECT c.created_at, c.id FROM top_up_orders c WHERE c.id = $3))
   ORDER BY created_at DESC, id DESC LIMIT $4`,
);

const findStatement = sql('payments_find_order', `SELECT ${ORDER_COLUMNS} FROM top_up_orders WHERE id = $1`);

const insertEventStatement = sql(
  'payments_insert_event',
  `INSERT INTO payment_events (provider, event_id, order_id, kind, outcome) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (provider, event_id) DO NOTHING`,
);

const beginPayingStatement = sql(
  'payments_begin_paying',
  `UPDATE top_up_orders SET state = 'paying', paid_at = now(), session_id = coalesce(session_id, $2)
   WHERE id = $1 AND state IN ('created', 'expired')`,
);

const learnPaymentStatement = sql(
  'payments_learn_payment',
  'UPDATE top_up_orders SET payment_id = $2 WHERE id = $1 AND payment_id IS NULL',
);

const findByPaymentStatement = sql(
  'payments_find_order_by_payment',
  `SELECT ${ORDER_COLUMNS} FROM top_up_orders WHERE provider = $1 AND payment_id = $2`,
);

// The order is locked before its keys are read, so that two requests at the same time ask with one key.
const beginRefundStatement = sql(
  'payments_begin_refund',
  `WITH locked AS MATERIALIZED (
     SELECT id, refund_keys FROM top_up_orders WHERE id = $1 FOR UPDATE
   ), known AS MATERIALIZED (
     SELECT t.key FROM locked CROSS JOIN LATERAL unnest(locked.refund_keys) AS t (key)
     WHERE starts_with(t.key, $2) LIMIT 1
   ), added AS (
     UPDATE top_up_orders o SET refund_keys = array_append(locked.refund_keys, $3)
     FROM locked WHERE o.id = locked.id AND NOT EXISTS (SELECT FROM known)
   )
   SELECT coalesce((SELECT key FROM known), $3::text) AS key`,
);

const endRefundStatement = sql(
  'payments_end_refund',
  'UPDATE top_up_orders SET refund_keys = array_remove(refund_keys, $2) WHERE id = $1',
);

const finishPayingStatement = sql(
  'payments_finish_paying',
  "UPDATE top_up_orders SET state = 'paid' WHERE id = $1 AND state = 'paying' RETURNING id",
);

const expireStatement = sql(
  'payments_expire_order',
  "UPDATE top_up_orders SET state = 'expired' WHERE id = $1 AND state = 'created' RETURNING id",
);

const listPayingStatement = sql(
  'payments_list_paying',
  `SELECT ${ORDER_COLUMNS} FROM top_up_orders WHERE state = 'paying' ORDER BY created_at LIMIT 100`,
);

const expireUnopenedStatement = sql(
  'payments_expire_unopened',
  `UPDATE top_up_orders SET state = 'expired'
   WHERE state = 'created' AND session_id IS NULL AND NOT is_automatic AND created_at < now() - interval '1 hour'`,
);

// Soon after most people have paid, then ever more rarely: a page can be paid for a day, and slow means of payment take
// two weeks. Orders that were never asked about come first, however many lie unpaid. Counting before asking keeps
// processes from asking about the same order.
const claimUnheardStatement = sql(
  'payments_claim_unheard',
  `WITH due AS MATERIALIZED (
     SELECT id FROM top_up_orders
     WHERE state = 'created' AND session_id IS NOT NULL AND NOT is_automatic
       AND created_at > now() - interval '16 days'
       AND created_at < now() - (
         '{10 minutes,1 hour,6 hours,25 hours,4 days,15 days}'::interval[]
       )[asked_count + 1]
     ORDER BY asked_count, created_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE top_up_orders SET asked_count = asked_count + 1
   WHERE id IN (SELECT id FROM due)
   RETURNING ${ORDER_COLUMNS}`,
);

const oldestPayingStatement = sql(
  'payments_oldest_paying',
  `SELECT min(paid_at) AS "dueSince" FROM top_up_orders WHERE state = 'paying'`,
);

/** Since when a payment has been waiting to be credited. */
export async function oldestPaying(queryable: Queryable): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestPayingStatement);
  return row?.dueSince ?? null;
}

export type OrderOwner = Readonly<{ accountId: string; userId: string }>;
/** Whose orders of an account are asked for; null for everybody's. */
export type OrderReader = Readonly<{ accountId: string; userId: string | null }>;

export type NewOrderRow = OrderOwner & Readonly<{ id: string; provider: string; price: OrderPrice }>;

export const orderValues = ({ id, accountId, userId, provider, price }: NewOrderRow): unknown[] => [
  ...[id, accountId, userId, provider, price.currency, price.rateNano, price.creditNanoUsd],
  ...[price.feeNanoUsd, price.vatNanoUsd, price.totalNanoUsd, price.totalMinor],
];

/** Null when the owner has `unpaidMax` unpaid orders of the last day already. */
export const insertOrder = (queryable: Queryable, order: NewOrderRow, unpaidMax: number): Promise<OrderRow | null> =>
  firstRow(queryable, insertStatement, [...orderValues(order), unpaidMax]);

export async function openSession(
  queryable: Queryable,
  order: OrderRow,
  session: Readonly<{ sessionId: string; url: string }>,
): Promise<OrderRow | null> {
  const values = [order.id, order.accountId, order.userId, session.sessionId, session.url];
  return firstRow<OrderRow>(queryable, openSessionStatement, values);
}

export const findOwnOrder = (queryable: Queryable, owner: OrderReader, orderId: string): Promise<OrderRow | null> =>
  firstRow(queryable, findOwnStatement, [orderId, owner.accountId, owner.userId]);

export type Page = Readonly<{ after: string | null; limit: number }>;

export function listOwnOrders(queryable: Queryable, owner: OrderReader, page: Page): Promise<OrderRow[]> {
  return queryable.query<OrderRow>(listOwnStatement, [owner.accountId, owner.userId, page.after, page.limit]);
}

/** An order, who ordered it, what it is for, or its payment, by id; or who ordered it by address. Null for all. */
export type OrderSearch = Page & Readonly<{ state: OrderState | null; text: string | null }>;
export type ListedOrder = OrderRow & Readonly<{ email: string | null }>;

export function listAllOrders(queryable: Queryable, search: OrderSearch): Promise<ListedOrder[]> {
  const { state, text, after, limit } = search;
  return queryable.query<ListedOrder>(listAllStatement, [state, text, after, limit]);
}

export const findOrder = (queryable: Queryable, orderId: string): Promise<OrderRow | null> =>
  firstRow(queryable, findStatement, [orderId]);

type EventRow = Readonly<{ provider: string; eventId: string; orderId: string; kind: string; outcome: string }>;

/** Does nothing for an event that is stored already. */
export async function insertEvent(queryable: Queryable, event: EventRow): Promise<void> {
  const { provider, eventId, orderId, kind, outcome } = event;
  await queryable.query(insertEventStatement, [provider, eventId, orderId, kind, outcome]);
}

export async function beginPaying(queryable: Queryable, orderId: string, sessionId: string | null): Promise<void> {
  await queryable.query(beginPayingStatement, [orderId, sessionId]);
}

export async function learnPayment(queryable: Queryable, orderId: string, paymentId: string): Promise<void> {
  await queryable.query(learnPaymentStatement, [orderId, paymentId]);
}

export const findOrderByPayment = (
  queryable: Queryable,
  provider: string,
  paymentId: string,
): Promise<OrderRow | null> => firstRow(queryable, findByPaymentStatement, [provider, paymentId]);

/** True for the one call that changed it. */
export const finishPaying = (queryable: Queryable, orderId: string): Promise<boolean> =>
  hasRow(queryable, finishPayingStatement, [orderId]);

/** True for the one call that changed it. */
export const expireOrder = (queryable: Queryable, orderId: string): Promise<boolean> =>
  hasRow(queryable, expireStatement, [orderId]);

export function listPaying(queryable: Queryable): Promise<OrderRow[]> {
  return queryable.query<OrderRow>(listPayingStatement);
}

/** Orders of which no notification has come for a while, whoever's they are; each comes a few times at most. */
export function claimUnheard(queryable: Queryable, countMax: number): Promise<OrderRow[]> {
  return queryable.query<OrderRow>(claimUnheardStatement, [countMax]);
}

/** Ends orders whose page was never opened, because the process died before. */
export async function expireUnopened(queryable: Queryable): Promise<void> {
  await queryable.query(expireUnopenedStatement);
}

/** The key of a refund of the same amount that was not answered, or else a new one, which counts as asked for. */
export async function beginRefund(queryable: Queryable, orderId: string, amountMinor: bigint): Promise<string> {
  const ofAmount = `${orderId}/refund/${amountMinor}/`;
  const values = [orderId, ofAmount, `${ofAmount}${newId('txn')}`];
  const [row] = await queryable.query<{ key: string }>(beginRefundStatement, values);
  return (row as { key: string }).key;
}

/** The refund was made or refused: the next one of the same amount is another one. */
export async function endRefund(queryable: Queryable, orderId: string, key: string): Promise<void> {
  await queryable.query(endRefundStatement, [orderId, key]);
}
