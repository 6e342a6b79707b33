// Notifications that never come, as when their address is wrong at the provider: the gateway asks about its orders
// itself, a few times, and believes the answers only as far as it believes notifications.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCorrections } from '../../src/modules/ledger/adjustments.ts';
import { createPayments, type Order, type Payments } from '../../src/modules/payments/payments.ts';
import { createStripeProvider } from '../../src/modules/payments/providers/stripe.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, USD } from '../ledger/fixture.ts';
import { eventText, FakeStripe, SECRET_KEY, sessionObject } from './fake-stripe.ts';
import { type LogLine, recordingLogger } from './payments-harness.ts';

const PAID = { status: 'complete', payment_status: 'paid' };

let bed: LedgerBed;
let process: LedgerProcess;
let stripe: FakeStripe;
let payments: readonly [Payments, Payments];
let userId: string;
const lines: LogLine[] = [];

beforeAll(async () => {
  bed = await openBed();
  process = await bed.startProcess();
  stripe = await FakeStripe.start();
  payments = [await paymentsOf(), await paymentsOf()];
  userId = await fundedAccount(process, 0n);
  await bed.rows("insert into users (id, email, email_normalized, name) values ($1, 'a@b.test', 'a@b.test', 'A')", [
    userId,
  ]);
});

afterAll(async () => {
  expect(await process.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
  await stripe.close();
  await bed.close();
});

const paymentsOf = async (): Promise<Payments> =>
  createPayments({
    database: process.database,
    ledger: process.ledger,
    corrections: createCorrections(process.notices),
    mailer: { send: async () => {} },
    addressOf: async () => null,
    mayPay: async () => true,
    providers: [
      await createStripeProvider(
        { secretKey: SECRET_KEY, webhookSecret: stripe.env.STRIPE_WEBHOOK_SECRET ?? '', apiBase: stripe.url },
        systemClock,
      ),
    ],
    localChannels: [],
    logger: recordingLogger(lines),
  });

const newOrder = (): Promise<Order> =>
  payments[0].createOrder({
    accountId: userId,
    userId,
    creditNanoUsd: 20n * USD,
    channel: 'usd',
    provider: null,
    returnUrl: () => 'https://site.test/',
  });

const age = ({ id }: Order, interval: string): Promise<unknown> =>
  bed.rows('update top_up_orders set created_at = now() - $2::interval where id = $1', [id, interval]);

const stateOf = async ({ id }: Order): Promise<string | undefined> =>
  (await bed.rows<{ state: string }>('select state from top_up_orders where id = $1', [id]))[0]?.state;

const creditedNanoUsd = async (): Promise<string | undefined> =>
  (await bed.rows<{ sum: string }>('select total_credited_nano_usd as sum from accounts where id = $1', [userId]))[0]
    ?.sum;

const lookUpEverywhere = (): Promise<unknown> => Promise.all(payments.map((each) => each.lookUpUnheard()));

/** How often Stripe was asked meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<number> {
  const before = stripe.requests.length;
  await work();
  return stripe.requests.length - before;
}

test('BILL-12 a payment that nobody told of is credited once, and the operator hears of it', async () => {
  const order = await newOrder();
  stripe.standings.set(order.id, PAID);
  expect(await asked(lookUpEverywhere), 'too early').toBe(0);
  const before = BigInt((await creditedNanoUsd()) ?? 0);
  await age(order, '11 minutes');
  expect(await asked(lookUpEverywhere)).toBe(1);
  expect(await stateOf(order)).toBe('paid');
  expect(BigInt((await creditedNanoUsd()) ?? 0) - before).toBe(20n * USD);
  expect(lines.filter(({ fields }) => fields.alert === 'payment' && fields.orderId === order.id)).toHaveLength(1);
  // The notification comes after all.
  const payload = eventText('checkout.session.completed', sessionObject(stripe.session(order.id)));
  const notification = { body: Buffer.from(payload), header: () => stripe.sign(payload) };
  await payments[1].receive('stripe', notification);
  await age(order, '15 days 1 hour');
  expect(await asked(lookUpEverywhere)).toBe(0);
  expect(BigInt((await creditedNanoUsd()) ?? 0) - before).toBe(20n * USD);
});

test('an order that is not paid is asked about a few times and then no more', async () => {
  const order = await newOrder();
  await age(order, '15 days 1 hour');
  const counts: number[] = [];
  for (let round = 0; round < 8; round += 1) counts.push(await asked(lookUpEverywhere));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
  expect(await stateOf(order)).toBe('created');
});

test('a page that can no longer be paid ends its order', async () => {
  const order = await newOrder();
  stripe.standings.set(order.id, { status: 'expired' });
  await age(order, '25 hours');
  await lookUpEverywhere();
  expect(await stateOf(order)).toBe('expired');
});

test('BILL-12 another amount or currency than was ordered credits nothing', async () => {
  const [cheap, foreign] = [await newOrder(), await newOrder()];
  stripe.standings.set(cheap.id, { ...PAID, amount_total: 1 });
  stripe.standings.set(foreign.id, { ...PAID, currency: 'jpy' });
  const before = await creditedNanoUsd();
  await Promise.all([age(cheap, '2 hours'), age(foreign, '2 hours')]);
  await lookUpEverywhere();
  expect(await Promise.all([stateOf(cheap), stateOf(foreign)])).toEqual(['created', 'created']);
  expect(await creditedNanoUsd()).toBe(before);
});

test('a provider that fails is asked again later, and holds up no other order', async () => {
  const order = await newOrder();
  stripe.standings.set(order.id, PAID);
  await age(order, '2 hours');
  stripe.failure = { status: 500, body: '{"error":{"type":"api_error","message":"down"}}' };
  await payments[0].lookUpUnheard();
  expect(await stateOf(order)).toBe('created');
  stripe.failure = null;
  await payments[0].lookUpUnheard();
  expect(await stateOf(order)).toBe('paid');
});
