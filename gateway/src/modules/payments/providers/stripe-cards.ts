// Cards that Stripe keeps: entered on a page of Stripe's, and charged later without their holder. A payment that is
// begun here says so in its metadata, because payments of checkout pages are reported by their sessions and must not be
// counted twice.

import type { Stripe } from 'stripe';
import { isJsonObject } from '../../../canonical/json.ts';
import type {
  CardCharge,
  CardEvent,
  CardKeeper,
  CardOutcome,
  Checkout,
  SavedCard,
  SessionEvent,
  SessionEventKind,
} from '../provider.ts';
import { fromStripeAmount, idOf, ORDER_ID_FIELD, orderIdIn, textIn, toStripeAmount } from './stripe-fields.ts';

const SETUP_ID_FIELD = 'tollgate_setup_id';
const AUTOMATIC_FIELD = 'tollgate_automatic';
const REASON_LENGTH_MAX = 200;

export const createCardKeeper = (client: Stripe): CardKeeper => ({
  openPage: (request) => openPage(client, request),
  read: (reference) => readCard(client, reference),
  charge: (request) => chargeCard(client, request),
  async forget(cardId) {
    await client.paymentMethods.detach(cardId);
  },
});

/** The customer is created first, because a card without one cannot be charged later. */
async function openPage(
  client: Stripe,
  { setupId, returnUrl }: Readonly<{ setupId: string; returnUrl: string }>,
): Promise<Checkout> {
  const metadata = { [SETUP_ID_FIELD]: setupId };
  const customer = await client.customers.create({ metadata }, { idempotencyKey: `${setupId}/customer` });
  const session = await client.checkout.sessions.create(
    {
      mode: 'setup',
      customer: customer.id,
      currency: 'usd',
      allowed_payment_method_types: ['card'],
      metadata,
      success_url: returnUrl,
      cancel_url: returnUrl,
    },
    { idempotencyKey: setupId },
  );
  if (session.url === null) throw new Error('the page for a card has no address');
  return { sessionId: session.id, url: session.url };
}

async function readCard(client: Stripe, reference: string): Promise<SavedCard> {
  const setup = await client.setupIntents.retrieve(reference, { expand: ['payment_method'] });
  const customerId = idOf(setup.customer);
  const method = isJsonObject(setup.payment_method) ? (setup.payment_method as Stripe.PaymentMethod) : null;
  if (setup.status !== 'succeeded' || customerId === null || method === null) throw new Error('no card was given');
  const { brand = 'card', last4 = '' } = method.card ?? {};
  return { customerId, cardId: method.id, label: `${brand} ${last4}`.trim() };
}

async function chargeCard(client: Stripe, { orderId, price, card }: CardCharge): Promise<CardOutcome> {
  try {
    const intent = await client.paymentIntents.create(
      {
        amount: toStripeAmount(price),
        currency: price.currency,
        customer: card.customerId,
        payment_method: card.cardId,
        off_session: true,
        confirm: true,
        metadata: { [ORDER_ID_FIELD]: orderId, [AUTOMATIC_FIELD]: 'true' },
      },
      { idempotencyKey: orderId },
    );
    if (intent.status === 'succeeded') return intentOf(intent.id, intent, orderId, 'paid');
    if (intent.status === 'processing') return intentOf(intent.id, intent, orderId, 'pending');
    return { kind: 'declined', reason: 'the bank wants its holder to confirm the payment' };
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === null) throw error;
    return { kind: 'declined', reason };
  }
}

/** Null where it is not known whether the card was charged. */
function refusalOf(error: unknown): string | null {
  const { type, message } = (error ?? {}) as Readonly<{ type?: unknown; message?: unknown }>;
  if (type === 'StripeCardError') return String(message).slice(0, REASON_LENGTH_MAX).replace(/\.$/, '');
  return type === 'StripeInvalidRequestError' ? 'the payment provider no longer knows the card' : null;
}

function intentOf(
  eventId: string,
  intent: Stripe.PaymentIntent,
  orderId: string,
  kind: SessionEventKind,
): SessionEvent {
  const { id, currency } = intent;
  const totalMinor = fromStripeAmount(kind === 'paid' ? intent.amount_received : intent.amount, currency);
  return { eventId, kind, orderId, sessionId: id, paymentId: id, currency, totalMinor };
}

export function intentEvent(
  eventId: string,
  intent: Stripe.PaymentIntent,
  kind: SessionEventKind,
): SessionEvent | null {
  const orderId = orderIdIn(intent.metadata);
  if (orderId === null || textIn(intent.metadata, AUTOMATIC_FIELD) === null) return null;
  return intentOf(eventId, intent, orderId, kind);
}

export function setupEvent(eventId: string, session: Stripe.Checkout.Session): CardEvent | null {
  const setupId = textIn(session.metadata, SETUP_ID_FIELD);
  const reference = idOf(session.setup_intent);
  return setupId === null || reference === null ? null : { eventId, kind: 'card', setupId, reference };
}
