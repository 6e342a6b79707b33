// Top-up orders, from the price to the credit. The rule that protects the money: an authentic notification is believed
// only as far as it repeats what our own order says, and the order's id is the reference of its credit in the ledger,
// so that no number of notifications credits twice.

import type { CreditLedger } from '../../canonical/credit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import { newId } from '../../platform/ids.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type AutomaticOptions, type AutomaticTopUps, createAutomaticTopUps, endUnpaid } from './automatic.ts';
import { type Channel, type OrderPrice, priceOrder, USD_CHANNEL } from './price-order.ts';
import {
  type CardEvent,
  ForgedNotificationError,
  type Notification,
  type PaymentEvent,
  type PaymentProvider,
  RefusedRefundError,
  type ReversalEvent,
  type SessionEvent,
} from './provider.ts';
import { type ReversalOptions, reconcile, refundedMinor } from './reversals.ts';
import * as store from './store/orders.ts';
import { insertReversal, listUnreversed } from './store/reversals.ts';

/** Bounds what a leaked key can do to the provider's account and to this table. */
const UNPAID_ORDERS_MAX = 50;
/** In one round, so that a provider that hangs keeps nothing waiting for long. */
const LOOK_UPS_MAX = 10;

export type Order = store.OrderRow;

type NewOrder = store.OrderOwner &
  Readonly<{
    creditNanoUsd: NanoUsd;
    channel: string;
    provider: string | null;
    returnUrl: (orderId: string) => string;
  }>;

type Refund = Readonly<{ creditNanoUsd: NanoUsd | null; reason: string }>;

export type Payments = Readonly<{
  /** What a top-up can be paid with. Without a provider there are no top-ups. */
  offer: Readonly<{ providers: readonly string[]; channels: readonly Channel[] }>;
  /** Throws a 400 for a channel that is not offered. */
  quote(creditNanoUsd: NanoUsd, channel: string): OrderPrice;
  createOrder(order: NewOrder): Promise<Order>;
  findOrder(reader: store.OrderReader, orderId: string): Promise<Order | null>;
  listOrders(reader: store.OrderReader, page: store.Page): Promise<readonly Order[]>;
  /** For the operator. */
  listAllOrders(search: store.OrderSearch): Promise<readonly store.ListedOrder[]>;
  /**
   * Refunds through the provider and takes the credit back: the amount, or all that is left where it is null. Throws
   * 404 for an unknown order, and 409 where nothing is left to refund.
   */
  refundOrder(orderId: string, refund: Refund): Promise<Order>;
  /** Resolves when the notification need not be sent again, whether or not it changed something. */
  receive(providerName: string, notification: Notification): Promise<void>;
  /** Finishes what a process that died had begun. */
  completeUnfinished(): Promise<void>;
  /** Asks providers about orders of which no notification has come. */
  lookUpUnheard(): Promise<void>;
  automatic: AutomaticTopUps;
}>;

type PaymentsOptions = ReversalOptions &
  Readonly<{
    ledger: CreditLedger;
    providers: readonly PaymentProvider[];
    localChannels: readonly Channel[];
  }> &
  Pick<AutomaticOptions, 'mayPay'>;

export function createPayments(options: PaymentsOptions): Payments {
  const { database } = options;
  const providers = new Map(options.providers.map((provider) => [provider.name, provider]));
  const channels = new Map([USD_CHANNEL, ...options.localChannels].map((channel) => [channel.currency, channel]));
  const quote = (creditNanoUsd: NanoUsd, name: string): OrderPrice => {
    const channel = channels.get(name);
    if (channel !== undefined) return priceOrder(creditNanoUsd, channel);
    throw new ApiError('http_400', `channel: must be one of ${[...channels.keys()].join(', ')}.`);
  };
  const automatic = createAutomaticTopUps({
    ...options,
    apply: (providerName, event) => applySession(providerName, event, options),
  });
  return {
    automatic,
    offer: { providers: [...providers.keys()], channels: [...channels.values()] },
    quote,
    createOrder: (order) => createOrder(order, quote(order.creditNanoUsd, order.channel), { options, providers }),
    findOrder: (reader, orderId) => store.findOwnOrder(database, reader, orderId),
    listOrders: (reader, page) => store.listOwnOrders(database, reader, page),
    listAllOrders: (search) => store.listAllOrders(database, search),
    refundOrder: (orderId, refund) => refundOrder(orderId, refund, { options, providers }),
    async receive(providerName, notification) {
      const provider = providers.get(providerName);
      if (provider === undefined) throw new ApiError('http_404', 'There is no such payment provider.');
      const event = readAuthentic(provider, notification, options.logger);
      if (event?.kind === 'card') await automatic.receive(providerName, event);
      else if (event !== null) await apply(providerName, event, options);
    },
    async completeUnfinished() {
      await store.expireUnopened(database);
      for (const order of await store.listPaying(database)) await orLog(order.id, complete(order, options), options);
      for (const order of await listUnreversed(database)) await orLog(order.id, reconcile(order, options), options);
    },
    async lookUpUnheard() {
      if (providers.size === 0) return;
      for (const order of await store.claimUnheard(database, LOOK_UPS_MAX)) await lookUp(order, { options, providers });
    },
  };
}

type OrderParts = Readonly<{ options: PaymentsOptions; providers: ReadonlyMap<string, PaymentProvider> }>;

async function createOrder(
  { accountId, userId, provider: wanted, returnUrl }: NewOrder,
  price: OrderPrice,
  { options, providers }: OrderParts,
): Promise<Order> {
  const provider = chooseProvider(providers, wanted);
  const { database, logger } = options;
  const row = { id: newId('ord'), accountId, userId, provider: provider.name, price };
  const order = await store.insertOrder(database, row, UNPAID_ORDERS_MAX);
  if (order === null) {
    throw new ApiError('http_429', `You have ${UNPAID_ORDERS_MAX} unpaid top-ups. Pay one, or try again tomorrow.`, {
      isTerminal: true,
    });
  }
  try {
    const checkout = await provider.openCheckout({ orderId: order.id, price, returnUrl: returnUrl(order.id) });
    const opened = await store.openSession(database, order, checkout);
    assert(opened !== null, 'an order that was made is there');
    return opened;
  } catch (error) {
    logger.error({ orderId: order.id, provider: provider.name, error: asError(error) }, 'no checkout page was opened');
    await store.expireOrder(database, order.id);
    throw new ApiError('http_502', 'The payment provider did not answer as expected. Nothing was charged. Try again.', {
      cause: error,
    });
  }
}

async function refundOrder(orderId: string, refund: Refund, { options, providers }: OrderParts): Promise<Order> {
  const { database, logger } = options;
  const order = await store.findOrder(database, orderId);
  if (order === null) throw new ApiError('http_404', 'There is no such order.');
  const { paymentId, currency } = order;
  const provider = providers.get(order.provider);
  if (order.state !== 'paid' || paymentId === null || provider === undefined) {
    throw new ApiError('http_409', 'This order was not paid through its provider, so nothing can be refunded.');
  }
  const amountMinor = refundedMinor(order, refund.creditNanoUsd);
  // The key stays the same until the answer is known, so repeating a refund that was cut off refunds once.
  const idempotencyKey = await store.beginRefund(database, orderId, amountMinor);
  try {
    const event = await provider.refund({ paymentId, currency, amountMinor, reason: refund.reason, idempotencyKey });
    await applyReversal(provider.name, event, options);
  } catch (error) {
    logger.error({ alert: 'payment', orderId, provider: provider.name, error: asError(error) }, 'a refund failed');
    const isRefused = error instanceof RefusedRefundError;
    if (isRefused) await store.endRefund(database, orderId, idempotencyKey);
    const words = isRefused
      ? 'The payment provider refused the refund. Nothing was refunded: look at the payment there.'
      : 'The payment provider did not confirm the refund. Send the same request again: it refunds only once.';
    throw new ApiError('http_502', words, { cause: error });
  }
  await store.endRefund(database, orderId, idempotencyKey);
  return (await store.findOrder(database, orderId)) ?? order;
}

/** Believed as a notification is: as far as it repeats what the order says. */
async function lookUp(order: Order, { options, providers }: OrderParts): Promise<void> {
  const { logger } = options;
  const { id: orderId, provider: name, sessionId } = order;
  const provider = providers.get(name);
  if (provider === undefined || sessionId === null) return;
  try {
    const event = await provider.readCheckout(sessionId);
    if (event === null || event.kind === 'pending') return;
    await applySession(name, event, options);
    if (event.kind !== 'paid') return;
    logger.error(
      { alert: 'payment', orderId, provider: name },
      'a payment was found that no notification has told of: see that they reach this gateway',
    );
  } catch (error) {
    logger.warn({ orderId, provider: name, error: asError(error) }, 'an order could not be looked up at its provider');
  }
}

/** Without a choice it is the first one: the operator decides by the order of the configuration. */
function chooseProvider(providers: ReadonlyMap<string, PaymentProvider>, wanted: string | null): PaymentProvider {
  const [first] = providers.values();
  if (first === undefined) {
    throw new ApiError('http_503', 'Top-ups are not set up here. Ask the operator for credit.', { isTerminal: true });
  }
  const provider = wanted === null ? first : providers.get(wanted);
  if (provider !== undefined) return provider;
  throw new ApiError('http_400', `provider: must be one of ${[...providers.keys()].join(', ')}.`);
}

function readAuthentic(provider: PaymentProvider, notification: Notification, logger: Logger): PaymentEvent | null {
  try {
    return provider.readNotification(notification);
  } catch (error) {
    if (!(error instanceof ForgedNotificationError)) throw error;
    logger.warn({ alert: 'payment', provider: provider.name, reason: error.message }, 'a forged payment was refused');
    throw new ApiError('http_400', 'The notification is not authentic.', { cause: error });
  }
}

/** Why an event may not change the order; null when it fits. */
function mismatch(providerName: string, event: SessionEvent, order: Order | null): string | null {
  if (order === null) return 'unknown_order';
  if (order.provider !== providerName) return 'other_provider';
  if (order.sessionId !== null && order.sessionId !== event.sessionId) return 'other_session';
  if (order.currency !== event.currency) return 'other_currency';
  return order.totalMinor === event.totalMinor ? null : 'other_amount';
}

async function apply(
  providerName: string,
  event: Exclude<PaymentEvent, CardEvent>,
  options: PaymentsOptions,
): Promise<void> {
  if (event.kind === 'reversal') return applyReversal(providerName, event, options);
  if (event.kind === 'refund_failed') {
    const { eventId, paymentId } = event;
    options.logger.error(
      { alert: 'payment', provider: providerName, eventId, paymentId },
      'a refund failed, its credit stays taken back until the operator gives it',
    );
    return;
  }
  await applySession(providerName, event, options);
}

async function applySession(providerName: string, event: SessionEvent, options: PaymentsOptions): Promise<void> {
  const { database, logger } = options;
  const order = await store.findOrder(database, event.orderId);
  const reason = mismatch(providerName, event, order);
  const { eventId, orderId, kind, paymentId } = event;
  const row = { provider: providerName, eventId, orderId, kind, outcome: reason ?? 'accepted' };
  if (order === null || reason !== null) {
    await store.insertEvent(database, row);
    logger.error({ alert: 'payment', ...row, sessionId: event.sessionId }, 'a payment was not credited');
    return;
  }
  // A card that is declined at once is also reported; only a payment that was waited for ends here.
  if (order.isAutomatic && kind === 'failed') {
    if (order.sessionId !== null) await endUnpaid(order, options);
    return;
  }
  await database.transaction(async (transaction) => {
    await store.insertEvent(transaction, row);
    if (paymentId !== null) await store.learnPayment(transaction, order.id, paymentId);
    if (kind === 'paid') await store.beginPaying(transaction, order.id, event.sessionId);
    if (kind === 'ended' || kind === 'failed') await store.expireOrder(transaction, order.id);
  });
  if (kind === 'paid' && order.state !== 'paid') await complete(order, options);
}

/** Stored even when the payment is not known yet: it is applied when the order is credited. */
async function applyReversal(providerName: string, event: ReversalEvent, options: PaymentsOptions): Promise<void> {
  const { database, logger } = options;
  const { eventId, kind, currency, sourceId, amountMinor, isFinal } = event;
  const order = await orderOf(providerName, event, options);
  const paymentId = order?.paymentId ?? event.paymentId ?? sourceId;
  const reason = reversalMismatch(providerName, event, order);
  const row = { provider: providerName, eventId, orderId: order?.id ?? event.orderId ?? paymentId, kind };
  if (reason !== null || amountMinor === null) {
    await store.insertEvent(database, { ...row, outcome: reason ?? 'no_amount' });
    logger.error(
      { alert: 'payment', ...row, outcome: reason ?? 'no_amount' },
      'a payment was taken back and its credit was not: look at the order',
    );
    return;
  }
  await database.transaction(async (transaction) => {
    await store.insertEvent(transaction, { ...row, outcome: 'accepted' });
    if (order !== null) await store.learnPayment(transaction, order.id, paymentId);
    await insertReversal(transaction, { provider: providerName, paymentId, sourceId, currency, amountMinor, isFinal });
  });
  if (order !== null) await reconcile(order, options);
}

async function orderOf(
  providerName: string,
  { orderId, paymentId }: ReversalEvent,
  { database }: PaymentsOptions,
): Promise<Order | null> {
  if (orderId !== null) return store.findOrder(database, orderId);
  return paymentId === null ? null : store.findOrderByPayment(database, providerName, paymentId);
}

function reversalMismatch(providerName: string, event: ReversalEvent, order: Order | null): string | null {
  if (order === null) return event.orderId === null ? null : 'unknown_order';
  if (order.provider !== providerName) return 'other_provider';
  if (order.currency !== event.currency) return 'other_currency';
  const isOther = order.paymentId !== null && event.paymentId !== null && order.paymentId !== event.paymentId;
  return isOther ? 'other_payment' : null;
}

/** Only for orders that were `paying`. However often it is repeated, the ledger credits once. */
async function complete(order: Order, options: PaymentsOptions): Promise<void> {
  const { database, ledger, logger } = options;
  await ledger.credit({
    accountId: order.accountId,
    amountNanoUsd: order.creditNanoUsd,
    note: `${order.isAutomatic ? 'Automatic top-up' : 'Top-up'} through ${order.provider}`,
    reference: order.id,
  });
  const isFirst = await store.finishPaying(database, order.id);
  if (isFirst) logger.info({ orderId: order.id, accountId: order.accountId }, 'a top-up was credited');
  await reconcile(order, options);
}

/** One order that cannot be credited must not hold up the others. */
async function orLog(orderId: string, work: Promise<void>, { logger }: PaymentsOptions): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.error({ alert: 'payment', orderId, error: asError(error) }, 'a top-up waits for its credit');
  }
}
