// Two gateways behind one address hear of the same payment at the same time, and of the same refund: it is credited
// once and taken back once, whoever is first.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateways, startTwoGateways } from '../caps/two-gateways.ts';
import { eventText, FakeStripe, sessionObject } from './fake-stripe.ts';

let stripe: FakeStripe;
let gateways: Gateways;

beforeAll(async () => {
  stripe = await FakeStripe.start();
  gateways = await startTwoGateways({ env: stripe.env });
});

afterAll(async () => {
  expect(await gateways.first.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await gateways.close();
  await stripe.close();
});

/** The same words, ten times to each of them at once. */
async function tellBoth(payload: string): Promise<void> {
  const headers = { 'Stripe-Signature': stripe.sign(payload) };
  const { first, second } = gateways;
  const told = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? first : second).request('POST', '/webhooks/stripe', { body: payload, headers }),
  );
  for (const { status, text } of await Promise.all(told)) expect(status, text).toBe(200);
}

const entries = (orderId: string) =>
  gateways.rows(
    'select kind, credit_account_id, amount_nano_usd from journal_entries where reference = $1 or reference like $2',
    [orderId, `${orderId}/%`],
  );

test('BILL-12 a payment that both hear of is credited once, and a refund taken once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { key, userId } = await gateways.first.account(0);
    const ordered = await gateways.second.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 100 } });
    const orderId = String(ordered.body.id);
    const session = stripe.session(orderId);
    const payment = { payment_intent: `pi_${orderId}` };
    await tellBoth(eventText('checkout.session.completed', sessionObject(session, payment)));
    const credit = { kind: 'credit', credit_account_id: userId, amount_nano_usd: '100000000000' };
    expect(await entries(orderId)).toEqual([credit]);
    const charge = { id: `ch_${orderId}`, object: 'charge', amount_refunded: session.amount, currency: 'usd' };
    await tellBoth(eventText('charge.refunded', { ...charge, ...payment, metadata: { tollgate_order_id: orderId } }));
    expect(await entries(orderId)).toMatchObject([credit, { kind: 'reclaim', amount_nano_usd: '100000000000' }]);
  }
});
