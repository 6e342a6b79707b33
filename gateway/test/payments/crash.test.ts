// A process dies between learning of a payment and crediting it: the next one finishes, and credits once.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCorrections } from '../../src/modules/ledger/adjustments.ts';
import { createPayments, type Payments } from '../../src/modules/payments/payments.ts';
import type { PaymentProvider, SessionEvent } from '../../src/modules/payments/provider.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, USD } from '../ledger/fixture.ts';

let bed: LedgerBed;
let process: LedgerProcess;
let userId: string;

beforeAll(async () => {
  bed = await openBed();
  process = await bed.startProcess();
  userId = await fundedAccount(process, 0n);
  await bed.rows("insert into users (id, email, email_normalized, name) values ($1, 'a@b.test', 'a@b.test', 'A')", [
    userId,
  ]);
});

afterAll(async () => {
  expect(await process.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
  await bed.close();
});

type Credit = LedgerProcess['ledger']['credit'];

/** A provider whose notifications are the events themselves. */
const trusting: PaymentProvider = {
  name: 'trusting',
  refund: () => Promise.reject(new Error('nothing is refunded here')),
  cards: null,
  openCheckout: async ({ orderId }) => ({ sessionId: `session-${orderId}`, url: 'https://pay.test/' }),
  readCheckout: async () => null,
  readNotification: ({ body }) => {
    const event = JSON.parse(body.toString()) as Omit<SessionEvent, 'totalMinor'> & { totalMinor: string };
    return { ...event, totalMinor: BigInt(event.totalMinor) };
  },
};

const paymentsWith = (credit: Credit): Payments =>
  createPayments({
    database: process.database,
    ledger: { credit },
    corrections: createCorrections(process.notices),
    mailer: { send: async () => {} },
    addressOf: async () => null,
    mayPay: async () => true,
    providers: [trusting],
    localChannels: [],
    logger: silentLogger,
  });

const soundly: Credit = (input) => process.ledger.credit(input);

async function newOrder(payments: Payments): Promise<{ orderId: string; pay(through: Payments): Promise<void> }> {
  const order = await payments.createOrder({
    accountId: userId,
    userId,
    creditNanoUsd: 20n * USD,
    channel: 'usd',
    provider: null,
    returnUrl: () => 'https://site.test/',
  });
  const event = {
    eventId: `event-${order.id}`,
    kind: 'paid',
    orderId: order.id,
    sessionId: order.sessionId,
    paymentId: `payment-${order.id}`,
    currency: order.currency,
    totalMinor: order.totalMinor.toString(),
  };
  const body = Buffer.from(JSON.stringify(event));
  return { orderId: order.id, pay: (through) => through.receive('trusting', { body, header: () => undefined }) };
}

const stateOf = async (orderId: string): Promise<string | undefined> =>
  (await bed.rows('select state from top_up_orders where id = $1', [orderId]))[0]?.state;

const balance = async (): Promise<bigint> => (await process.ledger.account(userId)).balanceNanoUsd;

test('BILL-12 dead before the credit: a repeated notification, or the job, credits once', async () => {
  const dying = paymentsWith(() => Promise.reject(new Error('died before the credit')));
  const sound = paymentsWith(soundly);
  for (const finish of [(pay: (through: Payments) => Promise<void>) => pay(sound), () => sound.completeUnfinished()]) {
    const before = await balance();
    const { orderId, pay } = await newOrder(sound);
    await expect(pay(dying)).rejects.toThrow('died before the credit');
    expect(await stateOf(orderId)).toBe('paying');
    expect(await balance()).toBe(before);
    await finish(pay);
    await sound.completeUnfinished();
    expect(await stateOf(orderId)).toBe('paid');
    expect(await balance()).toBe(before + 20n * USD);
  }
});

test('BILL-12 dead after the credit: it is not credited again', async () => {
  const dying = paymentsWith(async (input) => {
    await process.ledger.credit(input);
    throw new Error('died after the credit');
  });
  const sound = paymentsWith(soundly);
  for (const finish of [(pay: (through: Payments) => Promise<void>) => pay(sound), () => sound.completeUnfinished()]) {
    const before = await balance();
    const { orderId, pay } = await newOrder(sound);
    await expect(pay(dying)).rejects.toThrow('died after the credit');
    await finish(pay);
    await Promise.all([sound.completeUnfinished(), pay(sound), sound.completeUnfinished()]);
    expect(await stateOf(orderId)).toBe('paid');
    expect(await balance()).toBe(before + 20n * USD);
  }
});

test('one order that cannot be credited does not hold up another', async () => {
  const sound = paymentsWith(soundly);
  const stuck = await newOrder(sound);
  const fine = await newOrder(sound);
  const dying = paymentsWith(() => Promise.reject(new Error('away')));
  await expect(stuck.pay(dying)).rejects.toThrow('away');
  await expect(fine.pay(dying)).rejects.toThrow('away');
  const half = paymentsWith((input) => {
    return input.reference === stuck.orderId ? Promise.reject(new Error('refused')) : process.ledger.credit(input);
  });
  await half.completeUnfinished();
  expect([await stateOf(stuck.orderId), await stateOf(fine.orderId)]).toEqual(['paying', 'paid']);
  await sound.completeUnfinished();
  expect(await stateOf(stuck.orderId)).toBe('paid');
});

test('an order whose page was never opened expires by itself, and one with a page does not', async () => {
  const sound = paymentsWith(soundly);
  const { orderId } = await newOrder(sound);
  await bed.rows(
    `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
       vat_nano_usd, total_nano_usd, total_minor, created_at)
     select 'ord-unopened-' || hours, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
       vat_nano_usd, total_nano_usd, total_minor, now() - hours * interval '1 hour'
     from top_up_orders, unnest(array[0, 2]) as hours where id = $1`,
    [orderId],
  );
  await sound.completeUnfinished();
  expect(await stateOf('ord-unopened-2')).toBe('expired');
  expect(await stateOf('ord-unopened-0')).toBe('created');
  expect(await stateOf(orderId)).toBe('created');
});
