// Credit follows its payment: what a refund or a dispute takes back is taken from the account, in proportion and even
// when it was spent, and what a won dispute returns is given back. The total of all statements decides, never a single
// notification, so that repetitions and the order of arrival change nothing.

import type { Correction } from '../../canonical/credit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';
import { correctionMail } from './mails.ts';
import { chargeStep, divideHalfUp } from './price-order.ts';
import { stopBeforeTaking } from './store/automatic.ts';
import type { OrderRow } from './store/orders.ts';
import * as store from './store/reversals.ts';

export type ReversalOptions = Readonly<{
  database: Database;
  corrections: Readonly<{
    /** Once for each reference; null when it was made before. */
    correct(
      transaction: Queryable,
      correction: Correction,
    ): Promise<Readonly<{ balanceNanoUsd: NanoUsd; owedNanoUsd: NanoUsd }> | null>;
    tell(accountId: string): Promise<void>;
  }>;
  mailer: Mailer;
  addressOf(userId: string): Promise<string | null>;
  logger: Logger;
}>;

/**
 * The part of the credit that goes with `reversedMinor` of the payment: in proportion, half up; all of it when
 * everything went back.
 */
function reclaimedCredit(order: Pick<OrderRow, 'creditNanoUsd' | 'totalMinor'>, reversedMinor: bigint): NanoUsd {
  const { creditNanoUsd, totalMinor } = order;
  if (reversedMinor >= totalMinor) return creditNanoUsd;
  return divideHalfUp(creditNanoUsd * reversedMinor, totalMinor);
}

/**
 * The part of the payment for a part of the credit, rounded down; all that is left for null or for the whole credit.
 */
export function refundedMinor(
  order: Pick<OrderRow, 'creditNanoUsd' | 'totalMinor' | 'reclaimedNanoUsd' | 'currency'>,
  creditNanoUsd: NanoUsd | null,
): bigint {
  const leftNanoUsd = order.creditNanoUsd - order.reclaimedNanoUsd;
  if (leftNanoUsd <= 0n) throw new ApiError('http_409', 'All of this order has been refunded already.');
  if (creditNanoUsd === null || creditNanoUsd === leftNanoUsd) {
    // The nearest amount is the one that went back: rounded down it could be less, and the rest more than is left.
    return order.totalMinor - divideHalfUp(order.totalMinor * order.reclaimedNanoUsd, order.creditNanoUsd);
  }
  if (creditNanoUsd > leftNanoUsd) {
    throw new ApiError('http_409', `Only ${formatUsd(leftNanoUsd)} USD of the order's credit are left to take back.`);
  }
  const step = chargeStep(order.currency);
  const amountMinor = ((order.totalMinor * creditNanoUsd) / (order.creditNanoUsd * step)) * step;
  if (amountMinor > 0n) return amountMinor;
  throw new ApiError('http_400', 'amountUsd: is less than the smallest unit of its currency.');
}

/** Brings an order's credit in line with the reversals of its payment, if it was credited. */
export async function reconcile(
  { id, userId }: Pick<OrderRow, 'id' | 'userId'>,
  options: ReversalOptions,
): Promise<void> {
  const { database, corrections } = options;
  // Read before the transaction: waiting for a second connection while holding the first could last forever.
  const address = await options.addressOf(userId);
  const accountId = await database.transaction(async (transaction) => {
    const order = await store.lockOrder(transaction, id);
    if (order === null || order.state !== 'paid' || order.paymentId === null) return null;
    const reversedMinor = await store.sumReversals(transaction, order, order.paymentId);
    await store.markApplied(transaction, order.provider, order.paymentId);
    const reclaimedNanoUsd = reclaimedCredit(order, reversedMinor);
    if (reclaimedNanoUsd === order.reclaimedNanoUsd) return null;
    await move(transaction, { order, reclaimedNanoUsd, address }, options);
    return order.accountId;
  });
  if (accountId !== null) await corrections.tell(accountId);
}

const STOPPED_REASON = 'a payment was refunded or disputed';

type Move = Readonly<{ order: OrderRow; reclaimedNanoUsd: NanoUsd; address: string | null }>;

async function move(
  transaction: Queryable,
  { order, reclaimedNanoUsd, address: to }: Move,
  { corrections, mailer, logger }: ReversalOptions,
): Promise<void> {
  const { id: orderId, accountId } = order;
  const moreNanoUsd = reclaimedNanoUsd - order.reclaimedNanoUsd;
  const kind = moreNanoUsd > 0n ? 'reclaim' : 'restore';
  const amountNanoUsd = moreNanoUsd > 0n ? moreNanoUsd : -moreNanoUsd;
  // A balance that is low then would charge the card anew for what went back. The settings are locked before the
  // account, as they are where credit is bought.
  const stop = { accountId, takenNanoUsd: amountNanoUsd, reason: STOPPED_REASON };
  const hasStopped = kind === 'reclaim' && (await stopBeforeTaking(transaction, stop));
  const corrected = await corrections.correct(transaction, {
    accountId,
    kind,
    amountNanoUsd,
    note: kind === 'reclaim' ? 'Taken back with its payment' : 'Given back with its payment',
    reference: `${orderId}/${order.correctionCount + 1}`,
  });
  assert(corrected !== null, 'an order that is locked is corrected once');
  await store.correctOrder(transaction, order, reclaimedNanoUsd);
  if (to !== null)
    await mailer.send(correctionMail({ to, kind, amountNanoUsd, hasStopped, ...corrected }), transaction);
  logger.error(
    {
      alert: 'payment',
      orderId,
      accountId,
      kind,
      amountNanoUsd: amountNanoUsd.toString(),
      owedNanoUsd: corrected.owedNanoUsd.toString(),
    },
    kind === 'reclaim' ? 'credit was taken back with its payment' : 'credit was given back with its payment',
  );
}
