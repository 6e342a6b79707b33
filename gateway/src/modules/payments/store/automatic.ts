// The statements on automatic top-ups. An order is made under the lock of its account's settings, so that one of the
// processes that see a low balance makes one order; a try is claimed before it is made.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import type { SavedCard } from '../provider.ts';
import { type NewOrderRow, ORDER_COLUMNS, type OrderOwner, type OrderRow, orderValues } from './orders.ts';

export type AutomaticRow = Readonly<{
  accountId: string;
  userId: string;
  provider: string;
  isEnabled: boolean;
  thresholdNanoUsd: bigint;
  amountNanoUsd: bigint;
  monthMaxNanoUsd: bigint;
  customerId: string | null;
  cardId: string | null;
  cardLabel: string | null;
  stoppedAt: Date | null;
  stoppedReason: string | null;
  /** Credit that was ordered automatically this month. */
  monthNanoUsd: bigint;
}>;

// The month begins by the database's clock, which also dates the orders. With the clock of a process that is ahead, an
// order could be made for the new month and not count in it, because it is dated in the old one.
const MONTH = `coalesce((SELECT sum(o.credit_nano_usd) FROM top_up_orders o
  WHERE o.account_id = t.account_id AND o.is_automatic AND o.state <> 'expired'
    AND o.created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint`;

const COLUMNS = `t.account_id AS "accountId", t.user_id AS "userId", t.provider, t.is_enabled AS "isEnabled",
  t.threshold_nano_usd AS "thresholdNanoUsd", t.amount_nano_usd AS "amountNanoUsd",
  t.month_max_nano_usd AS "monthMaxNanoUsd", t.customer_id AS "customerId", t.card_id AS "cardId",
  t.card_label AS "cardLabel", t.stopped_at AS "stoppedAt", t.stopped_reason AS "stoppedReason",
  ${MONTH} AS "monthNanoUsd"`;

const readStatement = sql(
  'payments_read_automatic',
  `SELECT ${COLUMNS} FROM automatic_top_ups t WHERE t.account_id = $1`,
);

// A holder who changes the settings has seen why top-ups stopped, so the reason is cleared.
const saveStatement = sql(
  'payments_save_automatic',
  `INSERT INTO automatic_top_ups (
     account_id, user_id, provider, is_enabled, threshold_nano_usd, amount_nano_usd, month_max_nano_usd
   ) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (account_id) DO UPDATE SET is_enabled = $4, threshold_nano_usd = $5, amount_nano_usd = $6,
     month_max_nano_usd = $7, stopped_at = NULL, stopped_reason = NULL`,
);

const beginCardStatement = sql(
  'payments_begin_card',
  `UPDATE automatic_top_ups SET setup_id = $2, setup_user_id = $3, provider = $4
   WHERE account_id = $1
   RETURNING account_id`,
);

const keepCardStatement = sql(
  'payments_keep_card',
  `UPDATE automatic_top_ups SET user_id = setup_user_id, customer_id = $2, card_id = $3, card_label = $4,
     setup_id = NULL, setup_user_id = NULL, stopped_at = NULL, stopped_reason = NULL
   WHERE setup_id = $1 AND provider = $5
   RETURNING account_id`,
);

const forgetCardStatement = sql(
  'payments_forget_card',
  `UPDATE automatic_top_ups t SET is_enabled = false, customer_id = NULL, card_id = NULL, card_label = NULL,
     setup_id = NULL, setup_user_id = NULL
   FROM (SELECT account_id, card_id FROM automatic_top_ups WHERE account_id = $1 FOR UPDATE) was
   WHERE t.account_id = was.account_id
   RETURNING was.card_id AS "cardId", t.provider`,
);

// An organization that was put on the monthly plan pays by statement, and its balance is below zero as a rule.
const DUE = `t.is_enabled AND t.card_id IS NOT NULL AND a.kind = 'prepaid' AND a.balance_nano_usd < t.threshold_nano_usd
  AND ${MONTH} + t.amount_nano_usd <= t.month_max_nano_usd
  AND NOT EXISTS (SELECT FROM top_up_orders o
    WHERE o.account_id = t.account_id AND o.is_automatic AND o.state IN ('created', 'paying'))`;

const listDueStatement = sql(
  'payments_list_due_automatic',
  `SELECT t.account_id AS "accountId" FROM automatic_top_ups t JOIN accounts a ON a.id = t.account_id
   WHERE ${DUE}
   ORDER BY t.account_id LIMIT 100`,
);

const lockStatement = sql(
  'payments_lock_automatic',
  `SELECT account_id FROM automatic_top_ups WHERE account_id = $1 FOR UPDATE SKIP LOCKED`,
);

// A statement of its own after the lock: an order of another process is committed by then, or there is none.
const readDueStatement = sql(
  'payments_read_due_automatic',
  `SELECT ${COLUMNS} FROM automatic_top_ups t JOIN accounts a ON a.id = t.account_id WHERE t.account_id = $1 AND ${DUE}`,
);

const insertStatement = sql(
  'payments_insert_automatic_order',
  `INSERT INTO top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
     vat_nano_usd, total_nano_usd, total_minor, is_automatic, tries, tried_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, true, 1, now())
   RETURNING ${ORDER_COLUMNS}`,
);

// An order without an answer is tried again after half a minute, and then after twice as long each time. A provider
// forgets an order's key after a day, and would then charge the card again.
const claimStatement = sql(
  'payments_claim_automatic',
  `${leaseRows({
    table: 'top_up_orders',
    key: 'id',
    set: 'tries = tries + 1, tried_at = now()',
    due: `is_automatic AND state = 'created' AND session_id IS NULL
       AND tried_at < now() - interval '30 seconds' * 2 ^ (tries - 1)`,
    order: 'tried_at',
    limit: '1',
  })} RETURNING ${ORDER_COLUMNS}, tries, created_at < now() - interval '20 hours' AS "isForgotten"`,
);

const awaitStatement = sql(
  'payments_await_automatic',
  `UPDATE top_up_orders SET session_id = $2 WHERE id = $1 AND state = 'created' AND session_id IS NULL`,
);

const stopStatement = sql(
  'payments_stop_automatic',
  `UPDATE automatic_top_ups SET is_enabled = false, stopped_at = now(), stopped_reason = $2 WHERE account_id = $1`,
);

const stopLowStatement = sql(
  'payments_stop_low_automatic',
  `UPDATE automatic_top_ups t SET is_enabled = false, stopped_at = now(), stopped_reason = $2
   FROM accounts a
   WHERE t.account_id = $1 AND t.is_enabled AND a.id = t.account_id
     AND a.balance_nano_usd - $3::bigint < t.threshold_nano_usd
   RETURNING t.account_id`,
);

export const readAutomatic = (queryable: Queryable, accountId: string): Promise<AutomaticRow | null> =>
  firstRow(queryable, readStatement, [accountId]);

export type AutomaticSettings = Pick<
  AutomaticRow,
  'isEnabled' | 'thresholdNanoUsd' | 'amountNanoUsd' | 'monthMaxNanoUsd'
>;

export async function saveAutomatic(
  queryable: Queryable,
  { accountId, userId }: OrderOwner,
  provider: string,
  settings: AutomaticSettings,
): Promise<void> {
  const { isEnabled, thresholdNanoUsd, amountNanoUsd, monthMaxNanoUsd } = settings;
  const values = [accountId, userId, provider, isEnabled, thresholdNanoUsd, amountNanoUsd, monthMaxNanoUsd];
  await queryable.query(saveStatement, values);
}

/** False where no threshold and amount have been saved yet. */
export const beginCard = (
  queryable: Queryable,
  { accountId, userId }: OrderOwner,
  setup: Readonly<{ setupId: string; provider: string }>,
): Promise<boolean> => hasRow(queryable, beginCardStatement, [accountId, setup.setupId, userId, setup.provider]);

/** False for a page that was not asked for, or whose card is stored already. */
export async function keepCard(
  queryable: Queryable,
  setup: Readonly<{ setupId: string; provider: string }>,
  { customerId, cardId, label }: SavedCard,
): Promise<boolean> {
  const values = [setup.setupId, customerId, cardId, label, setup.provider];
  return hasRow(queryable, keepCardStatement, values);
}

type ForgottenRow = Readonly<{ cardId: string | null; provider: string }>;

export const forgetCard = (queryable: Queryable, accountId: string): Promise<ForgottenRow | null> =>
  firstRow(queryable, forgetCardStatement, [accountId]);

export async function listDue(queryable: Queryable): Promise<readonly string[]> {
  return (await queryable.query<{ accountId: string }>(listDueStatement)).map(({ accountId }) => accountId);
}

/**
 * Runs in a transaction, whose end releases the lock. Null where another process has it, or nothing is due any more.
 */
export async function lockDue(transaction: Queryable, accountId: string): Promise<AutomaticRow | null> {
  if ((await transaction.query(lockStatement, [accountId])).length === 0) return null;
  return firstRow<AutomaticRow>(transaction, readDueStatement, [accountId]);
}

export async function insertAutomatic(transaction: Queryable, order: NewOrderRow): Promise<OrderRow> {
  const [row] = await transaction.query<OrderRow>(insertStatement, orderValues(order));
  return row as OrderRow;
}

export type TriedRow = OrderRow &
  Readonly<{
    tries: number;
    /** The provider may not remember the order any more. */
    isForgotten: boolean;
  }>;

/** An order whose outcome is not known; null when none is due. */
export const claimUnknown = (queryable: Queryable): Promise<TriedRow | null> => firstRow(queryable, claimStatement);

/** The provider has the order and will report: it is not tried again. */
export async function awaitWord(queryable: Queryable, orderId: string, sessionId: string): Promise<void> {
  await queryable.query(awaitStatement, [orderId, sessionId]);
}

export async function stopAutomatic(queryable: Queryable, accountId: string, reason: string): Promise<void> {
  await queryable.query(stopStatement, [accountId, reason]);
}

/** Stops them where the balance is low once this much is taken. False where it is not, or they were switched off. */
export const stopBeforeTaking = (
  queryable: Queryable,
  { accountId, takenNanoUsd, reason }: Readonly<{ accountId: string; takenNanoUsd: bigint; reason: string }>,
): Promise<boolean> => hasRow(queryable, stopLowStatement, [accountId, reason, takenNanoUsd]);
