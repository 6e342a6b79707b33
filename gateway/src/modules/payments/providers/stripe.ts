// Stripe Checkout. The order's id is in the metadata of the session and of the payment, so that a notification can be
// matched even if the answer that opened the session was lost. Amounts in notifications are checked in payments.ts.

import type { Stripe } from 'stripe';
import { isJsonObject } from '../../../canonical/json.ts';
import { assert } from '../../../platform/assert.ts';
import type { Clock } from '../../../platform/clock.ts';
import { formatUsd } from '../../../platform/money.ts';
import type { OrderPrice } from '../price-order.ts';
import {
  type Checkout,
  type CheckoutRequest,
  ForgedNotificationError,
  type Notification,
  type PaymentEvent,
  type PaymentProvider,
  type RefundRequest,
  RefusedRefundError,
  type ReversalEvent,
  type SessionEvent,
  type SessionEventKind,
} from '../provider.ts';
import { createCardKeeper, intentEvent, setupEvent } from './stripe-cards.ts';
import { fromStripeAmount, idOf, ORDER_ID_FIELD, orderIdIn, toStripeAmount } from './stripe-fields.ts';

const TIMEOUT_MS = 15_000;
const NETWORK_RETRIES_MAX = 1;
const SIGNATURE_AGE_SECONDS_MAX = 300;

export type StripeSettings = Readonly<{
  secretKey: string;
  webhookSecret: string;
  /** Null: Stripe itself. */
  apiBase: string | null;
}>;

type Session = Stripe.Checkout.Session;

/** The library is loaded only where it is used: it costs twenty megabytes. */
export async function createStripeProvider(settings: StripeSettings, clock: Clock): Promise<PaymentProvider> {
  const { webhookSecret } = settings;
  // With an empty secret anybody could sign notifications.
  assert(settings.secretKey.trim() !== '' && webhookSecret.trim() !== '', 'the secrets are not empty');
  const library = await import('stripe');
  const client = new library.Stripe(settings.secretKey, {
    ...addressOf(settings.apiBase),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: NETWORK_RETRIES_MAX,
    telemetry: false,
  });
  return {
    name: 'stripe',
    openCheckout: (request) => openCheckout(client, request),
    readCheckout: async (sessionId) => standing(await client.checkout.sessions.retrieve(sessionId)),
    refund: (request) => refund(client, request),
    cards: createCardKeeper(client),
    readNotification: (notification) => toPaymentEvent(verified(client, notification, { webhookSecret, clock })),
  };
}

function addressOf(apiBase: string | null): { host?: string; port?: string; protocol?: 'http' | 'https' } {
  if (apiBase === null) return {};
  const url = new URL(apiBase);
  const protocol = url.protocol === 'http:' ? 'http' : 'https';
  return { host: url.hostname, port: url.port === '' ? (protocol === 'http' ? '80' : '443') : url.port, protocol };
}

async function openCheckout(client: Stripe, { orderId, price, returnUrl }: CheckoutRequest): Promise<Checkout> {
  const metadata = { [ORDER_ID_FIELD]: orderId };
  const session = await client.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: orderId,
      metadata,
      payment_intent_data: { metadata },
      success_url: returnUrl,
      cancel_url: returnUrl,
      // The price was shown in this currency, so it is charged in it.
      adaptive_pricing: { enabled: false },
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: price.currency,
            unit_amount: toStripeAmount(price),
            product_data: { name: `API credit of USD ${formatUsd(price.creditNanoUsd)}`, description: describe(price) },
          },
        },
      ],
    },
    { idempotencyKey: orderId },
  );
  if (session.url === null) throw new Error('the checkout session has no page');
  return { sessionId: session.id, url: session.url };
}

const REASON_FIELD = 'tollgate_reason';
const FAILED: ReadonlySet<string | null> = new Set(['failed', 'canceled', 'requires_action']);

async function refund(client: Stripe, request: RefundRequest): Promise<ReversalEvent> {
  const { paymentId, currency, amountMinor, reason, idempotencyKey } = request;
  const wanted: Stripe.RefundCreateParams = {
    payment_intent: paymentId,
    amount: toStripeAmount({ currency, totalMinor: amountMinor }),
    reason: 'requested_by_customer',
    metadata: { [REASON_FIELD]: reason },
    // The charge has the total of all refunds of the payment.
    expand: ['charge'],
  };
  const made = await client.refunds.create(wanted, { idempotencyKey }).catch((error: unknown) => {
    const { type } = (error ?? {}) as Readonly<{ type?: unknown }>;
    if (type !== 'StripeInvalidRequestError') throw error;
    throw new RefusedRefundError('the refund is refused', { cause: error });
  });
  if (FAILED.has(made.status)) throw new RefusedRefundError(`the refund is ${made.status}`);
  if (!isJsonObject(made.charge)) throw new Error('the refund names no charge');
  const event = refundEvent(made.id, made.charge as unknown as Stripe.Charge);
  if (event === null) throw new Error('the refund is of no payment');
  return event;
}

function describe({ feeNanoUsd, vatNanoUsd }: OrderPrice): string {
  const fee = `Includes a transaction fee of USD ${formatUsd(feeNanoUsd)}`;
  return vatNanoUsd === 0n ? `${fee}.` : `${fee} and VAT of USD ${formatUsd(vatNanoUsd)}.`;
}

function verified(
  client: Stripe,
  { body, header }: Notification,
  { webhookSecret, clock }: Readonly<{ webhookSecret: string; clock: Clock }>,
): Stripe.Event {
  const signature = header('stripe-signature');
  if (signature === undefined) throw new ForgedNotificationError('it is not signed');
  try {
    // The clock is passed on, because the age of the signature is checked.
    const nowMs = clock.nowMs();
    return client.webhooks.constructEvent(body, signature, webhookSecret, SIGNATURE_AGE_SECONDS_MAX, undefined, nowMs);
  } catch (error) {
    throw new ForgedNotificationError('its signature is not valid', { cause: error });
  }
}

function toPaymentEvent(event: Stripe.Event): PaymentEvent | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      if (event.data.object.mode === 'setup') return setupEvent(event.id, event.data.object);
      // With slow means of payment a session is completed before the money arrives.
      return sessionEvent(
        event.id,
        event.data.object,
        event.data.object.payment_status === 'paid' ? 'paid' : 'pending',
      );
    case 'checkout.session.async_payment_failed':
      return sessionEvent(event.id, event.data.object, 'failed');
    case 'checkout.session.expired':
      return sessionEvent(event.id, event.data.object, 'ended');
    case 'payment_intent.succeeded':
      return intentEvent(event.id, event.data.object, 'paid');
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
      return intentEvent(event.id, event.data.object, 'failed');
    case 'charge.refunded':
      return refundEvent(event.id, event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return disputeEvent(event.id, event.data.object);
    case 'refund.failed':
      return { eventId: event.id, kind: 'refund_failed', paymentId: idOf(event.data.object.payment_intent) };
    default:
      return null;
  }
}

/** What a notification would say now. */
function standing(session: Session): SessionEvent | null {
  const { id, status, payment_status: payment } = session;
  if (payment === 'paid') return sessionEvent(`asked/${id}/paid`, session, 'paid');
  const kind = status === 'expired' ? 'ended' : 'pending';
  return sessionEvent(`asked/${id}/${kind}`, session, kind);
}

function sessionEvent(eventId: string, session: Session, kind: SessionEventKind): SessionEvent | null {
  const orderId = orderIdIn(session.metadata);
  if (orderId === null || session.mode !== 'payment') return null;
  const currency = String(session.currency);
  const totalMinor = fromStripeAmount(session.amount_total, currency);
  const paymentId = idOf(session.payment_intent);
  return { eventId, kind, orderId, sessionId: session.id, paymentId, currency, totalMinor };
}

/** A charge has the metadata of its payment and the total of all its refunds. */
function refundEvent(eventId: string, charge: Stripe.Charge): ReversalEvent | null {
  const orderId = orderIdIn(charge.metadata);
  const paymentId = idOf(charge.payment_intent);
  if (orderId === null && paymentId === null) return null;
  const { id: sourceId, currency } = charge;
  const amountMinor = fromStripeAmount(charge.amount_refunded, currency);
  return { eventId, kind: 'reversal', orderId, paymentId, sourceId, currency, amountMinor, isFinal: false };
}

/** While a dispute is open the bank has the money; a warning takes none. */
function disputeEvent(eventId: string, dispute: Stripe.Dispute): PaymentEvent | null {
  const paymentId = idOf(dispute.payment_intent);
  if (paymentId === null) return null;
  const { id: sourceId, currency, status } = dispute;
  const isTaken = status !== 'won' && !status.startsWith('warning_') && status !== 'prevented';
  const amountMinor = isTaken ? fromStripeAmount(dispute.amount, currency) : 0n;
  const isFinal = status === 'won' || status === 'lost';
  return { eventId, kind: 'reversal', orderId: null, paymentId, sourceId, currency, amountMinor, isFinal };
}
