// A stand-in for Stripe on loopback: it opens checkout sessions as the library asks for them, keeps cards and charges
// them, remembers its requests, and signs notifications with the library's own test signatures.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';

export const SECRET_KEY = 'sk_test_tollgate';
const WEBHOOK_SECRET = 'whsec_tollgate_test';

const TOO_MUCH = '{"error":{"type":"invalid_request_error","message":"more would be refunded than was paid"}}';

export type SessionRequest = Readonly<{
  fields: URLSearchParams;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
}>;

export type FakeSession = Readonly<{
  id: string;
  orderId: string;
  amount: number;
  currency: string;
}>;

export class FakeStripe {
  readonly requests: SessionRequest[] = [];
  readonly sessions = new Map<string, FakeSession>();
  /** How it stands with a session; what is not here is open. By order. */
  readonly standings = new Map<string, Record<string, unknown>>();
  /** What the next requests are answered with instead. */
  failure: { status: number; body: string } | 'hang up' | null = null;
  /** In the smallest unit, by order. */
  readonly refunded = new Map<string, number>();
  readonly #refunds = new Map<string, string>();
  /** Whether the answers about refunds get lost on their way although the refunds were made. */
  losesRefunds = false;
  /** Payments with a saved card, by idempotency key: one key charges once. */
  readonly charges = new Map<string, Readonly<{ status: number; body: string }>>();
  /** The answer of a saved card's bank; it may be lost on its way although the card was charged. */
  card: 'pays' | 'declines' | 'asks its holder' | 'pays, and the answer is lost' | 'is slow' = 'pays';
  readonly detached: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #client = new Stripe(SECRET_KEY);

  static async start(): Promise<FakeStripe> {
    const fake = new FakeStripe();
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: this.url,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  session(orderId: string): FakeSession {
    const session = this.sessions.get(orderId);
    if (session === undefined) throw new Error(`no session was opened for ${orderId}`);
    return session;
  }

  sign(payload: string, options: { secret?: string; timestamp?: number } = {}): string {
    return this.#client.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, ...options });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const fields = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    const { authorization, 'idempotency-key': key } = request.headers;
    this.requests.push({ fields, authorization, idempotencyKey: typeof key === 'string' ? key : undefined });
    if (this.failure === 'hang up') {
      request.socket.destroy();
      return;
    }
    const send = (status: number, body: string): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    };
    if (this.failure !== null) return send(this.failure.status, this.failure.body);
    const path = `${request.method} ${request.url?.split('?')[0]}`;
    if (path === 'POST /v1/refunds') {
      const made = this.#refund(fields, String(key));
      if (this.losesRefunds) return void request.socket.destroy();
      return made === null ? send(400, TOO_MUCH) : send(200, made);
    }
    if (path.startsWith('GET /v1/checkout/sessions/')) {
      const session = [...this.sessions.values()].find(({ id }) => path.endsWith(`/${id}`));
      return session === undefined
        ? send(404, '{"error":{"type":"invalid_request_error"}}')
        : send(200, this.#read(session));
    }
    if (path === 'POST /v1/customers') return send(200, JSON.stringify({ id: `cus_${key}`, object: 'customer' }));
    if (path.startsWith('GET /v1/setup_intents/')) return send(200, JSON.stringify(setupIntent(path)));
    if (path.startsWith('POST /v1/payment_methods/')) {
      this.detached.push(path.split('/')[3] ?? '');
      return send(200, JSON.stringify({ id: path.split('/')[3], object: 'payment_method' }));
    }
    if (path === 'POST /v1/payment_intents') {
      const { status, body } = this.#charge(fields, String(key));
      if (this.card === 'pays, and the answer is lost') return void request.socket.destroy();
      return send(status, body);
    }
    if (request.method !== 'POST' || request.url !== '/v1/checkout/sessions') {
      return send(404, JSON.stringify({ error: { message: 'unknown path', type: 'invalid_request_error' } }));
    }
    if (fields.get('mode') === 'setup') return send(200, JSON.stringify(this.#openSetup(fields)));
    send(200, JSON.stringify(this.#open(fields)));
  }

  #read(session: FakeSession): string {
    const open = { status: 'open', payment_status: 'unpaid' };
    return JSON.stringify(sessionObject(session, { ...open, ...this.standings.get(session.orderId) }));
  }

  #openSetup(fields: URLSearchParams): object {
    const setupId = fields.get('metadata[tollgate_setup_id]') ?? '';
    return { ...setupObject(setupId), url: `https://checkout.test/${setupId}` };
  }

  #charge(fields: URLSearchParams, key: string): Readonly<{ status: number; body: string }> {
    const known = this.charges.get(key);
    if (known !== undefined) return known;
    const orderId = fields.get('metadata[tollgate_order_id]') ?? '';
    const amount = Number(fields.get('amount'));
    const currency = fields.get('currency') ?? '';
    const made = cardAnswer(this.card, { orderId, amount, currency });
    if (made.status === 200) this.sessions.set(orderId, { id: `pi_${orderId}`, orderId, amount, currency });
    this.charges.set(key, made);
    return made;
  }

  /** One key refunds once, as Stripe has it; null for more than was paid. The charge has the total of all refunds. */
  #refund(fields: URLSearchParams, key: string): string | null {
    const known = this.#refunds.get(key);
    if (known !== undefined) return known;
    const payment = fields.get('payment_intent') ?? '';
    const orderId = payment.replace(/^pi_/, '');
    const { amount: paid, currency } = this.session(orderId);
    const amount = Number(fields.get('amount'));
    const sum = (this.refunded.get(orderId) ?? 0) + amount;
    if (sum > paid) return null;
    this.refunded.set(orderId, sum);
    const charge = { id: `ch_${orderId}`, object: 'charge', amount_refunded: sum, currency, payment_intent: payment };
    const made = JSON.stringify({
      ...{ id: `re_${crypto.randomUUID()}`, object: 'refund', status: 'succeeded', amount, currency },
      charge: { ...charge, metadata: { tollgate_order_id: orderId } },
    });
    this.#refunds.set(key, made);
    return made;
  }

  #open(fields: URLSearchParams): object {
    const orderId = fields.get('metadata[tollgate_order_id]') ?? '';
    const known = this.sessions.get(orderId);
    const session: FakeSession = known ?? {
      id: `cs_test_${this.sessions.size + 1}_${crypto.randomUUID()}`,
      orderId,
      amount: Number(fields.get('line_items[0][price_data][unit_amount]')),
      currency: fields.get('line_items[0][price_data][currency]') ?? '',
    };
    this.sessions.set(orderId, session);
    return { ...sessionObject(session), url: `https://checkout.test/${session.id}` };
  }
}

export function sessionObject(session: FakeSession, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: session.id,
    object: 'checkout.session',
    mode: 'payment',
    amount_total: session.amount,
    currency: session.currency,
    client_reference_id: session.orderId,
    metadata: { tollgate_order_id: session.orderId },
    payment_status: 'paid',
    status: 'complete',
    ...changes,
  };
}

/** The text of an event, as it is signed and sent. */
export function eventText(type: string, object: Record<string, unknown>, id = `evt_${crypto.randomUUID()}`): string {
  return JSON.stringify({ id, object: 'event', type, api_version: 'test', data: { object } });
}

/** A page on which a card was given, as its notification tells. */
export const setupObject = (setupId: string): Record<string, unknown> => ({
  id: `cs_setup_${setupId}`,
  object: 'checkout.session',
  mode: 'setup',
  metadata: { tollgate_setup_id: setupId },
  setup_intent: `seti_${setupId}`,
  status: 'complete',
});

function setupIntent(path: string): object {
  const id = path.split('/').at(-1) ?? '';
  const card = { id: `pm_${id}`, object: 'payment_method', card: { brand: 'visa', last4: '4242' } };
  return { id, object: 'setup_intent', status: 'succeeded', customer: `cus_${id}`, payment_method: card };
}

type Charged = Readonly<{ orderId: string; amount: number; currency: string }>;

export const intentObject = (
  { orderId, amount, currency }: Charged,
  status = 'succeeded',
): Record<string, unknown> => ({
  id: `pi_${orderId}`,
  object: 'payment_intent',
  status,
  amount,
  amount_received: status === 'succeeded' ? amount : 0,
  currency,
  metadata: { tollgate_order_id: orderId, tollgate_automatic: 'true' },
});

function cardAnswer(card: FakeStripe['card'], charged: Charged): Readonly<{ status: number; body: string }> {
  if (card === 'declines' || card === 'asks its holder') {
    const code = card === 'declines' ? 'card_declined' : 'authentication_required';
    const message = card === 'declines' ? 'Your card was declined.' : 'The payment requires authentication.';
    return { status: 402, body: JSON.stringify({ error: { type: 'card_error', code, message } }) };
  }
  return { status: 200, body: JSON.stringify(intentObject(charged, card === 'is slow' ? 'processing' : 'succeeded')) };
}
