// A gateway killed while it credits a payment: after the restart the money is there exactly once, whether or not the
// provider tells of the payment again.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventText, FakeStripe, sessionObject } from '../payments/fake-stripe.ts';
import { CrashBed } from './crash-bed.ts';

let stripe: FakeStripe;
let bed: CrashBed;

beforeAll(async () => {
  stripe = await FakeStripe.start();
  bed = await CrashBed.open(stripe.env);
});

afterAll(async () => {
  await bed.close();
  await stripe.close();
});

type TopUpPoint = Readonly<{ name: string; killAround(accountId: string): Promise<void> }>;

const creditsOf = (accountId: string) =>
  bed.rows("select amount_nano_usd from journal_entries where kind = 'credit' and credit_account_id = $1", [accountId]);

const points: readonly TopUpPoint[] = [
  {
    name: 'inside the credit, which the server gives up',
    async killAround(accountId) {
      await bed.untilHeld();
      await bed.kill();
      await bed.giveUpHeld();
      await bed.letGo([accountId]);
    },
  },
  {
    name: 'inside the credit, which the server completes',
    async killAround(accountId) {
      await bed.untilHeld();
      await bed.kill();
      await bed.letGo([accountId]);
    },
  },
  {
    name: 'after the credit, before the order is marked as paid',
    async killAround(accountId) {
      await bed.untilHeld();
      bed.gateway.freeze();
      await bed.letGo([accountId]);
      await expect.poll(() => creditsOf(accountId)).toHaveLength(2);
      await bed.kill();
    },
  },
];

test.each(points.map((point) => [point.name, point] as const))('CRASH-1 BILL-12 killed %s', async (_, point) => {
  const { key, accountId } = await bed.account();
  const { gateway } = bed;
  const order = await gateway.call('POST', '/v1/credits/topups', key, { amountUsd: 20 });
  const orderId = String(order.id);
  const payload = eventText('checkout.session.completed', sessionObject(stripe.session(orderId)));
  const notify = () =>
    fetch(`${gateway.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': stripe.sign(payload) },
      body: payload,
    }).catch(() => null);

  await bed.hold([accountId]);
  const told = notify();
  await point.killAround(accountId);
  expect(await told).toBeNull();

  await gateway.start();
  const stateOf = async () => (await bed.rows('select state from top_up_orders where id = $1', [orderId]))[0]?.state;
  // The process that starts completes it at once, or a quarter of a minute later if it was too busy.
  await expect.poll(stateOf).toBe('paid');
  expect((await notify())?.status).toBe(200);
  // The first is the dollar that the account was opened with.
  expect(await creditsOf(accountId)).toEqual([{ amount_nano_usd: '1000000000' }, { amount_nano_usd: '20000000000' }]);
  expect((await gateway.call('GET', '/v1/credits', key)).data).toEqual({ total_credits: 21, total_usage: 0 });
  expect(await gateway.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    discrepancies: [],
  });
});
