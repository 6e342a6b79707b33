// Money that goes back: refunds and disputes change the books, in any order and once, below zero where the credit was
// spent; and nothing else does that.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../harness.ts';
import { eventText, sessionObject } from './fake-stripe.ts';
import { type PaymentsHarness, startPaymentsHarness } from './payments-harness.ts';

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness({
    models: { 'sim/dear': { commands: 'tokens-1000-50', entry: { pricing: { prompt: '60000', completion: '0' } } } },
  });
});

afterAll(async () => {
  expect(await payments.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await payments.close();
});

async function rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: payments.harness.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

const paymentOf = (orderId: string): string => `pi_${orderId}`;

const paid = (orderId: string): string => payments.paidEvent(orderId, { payment_intent: paymentOf(orderId) });

/** `refundedCents` is what all refunds of the payment have come to, as the provider says it. */
const refunded = (orderId: string, refundedCents: number): string =>
  eventText('charge.refunded', {
    id: `ch_${orderId}`,
    object: 'charge',
    amount_refunded: refundedCents,
    currency: 'usd',
    payment_intent: paymentOf(orderId),
    metadata: { tollgate_order_id: orderId },
  });

/** As the provider sends it: a dispute names the payment and not the order. */
const dispute = (orderId: string, type: string, status: string, amount = 11_000): string =>
  eventText(`charge.dispute.${type}`, {
    id: `dp_${orderId}`,
    object: 'dispute',
    amount,
    currency: 'usd',
    status,
    charge: `ch_${orderId}`,
    payment_intent: paymentOf(orderId),
    metadata: {},
  });

async function send(...events: readonly string[]): Promise<void> {
  for (const event of events) expect((await payments.notify(event)).status).toBe(200);
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}

const corrections = (orderId: string): Promise<Record<string, unknown>[]> =>
  rows('select kind, amount_nano_usd from journal_entries where reference like $1 order by id', [`${orderId}/%`]);

describe('a refund', () => {
  test('BILL-12 takes the credit back with the payment, once, and is told to customer and operator', async () => {
    const { key, orderId, userId } = await payments.order();
    await send(paid(orderId));
    expect(await payments.balance(key)).toBe(100);
    const before = payments.alerts().length;
    const event = refunded(orderId, 11_000);
    await Promise.all(Array.from({ length: 20 }, () => send(event)));
    expect(await payments.balance(key)).toBe(0);
    expect(await corrections(orderId)).toEqual([{ kind: 'reclaim', amount_nano_usd: '100000000000' }]);
    expect(payments.alerts().slice(before)).toMatchObject([
      { level: 'error', fields: { orderId, kind: 'reclaim', amountNanoUsd: '100000000000' } },
    ]);
    const [mail] = await rows(
      'select count(*)::int as count from mail_outbox where recipient = (select email from users where id = $1)',
      [userId],
    );
    expect(mail).toEqual({ count: 1 });
    const answer = await payments.harness.request('GET', `/v1/credits/topups/${orderId}`, { key });
    expect(answer.body).toMatchObject({ state: 'paid', reclaimedUsd: 100 });
  });

  test('of a part takes that part of the credit, and the next part the next', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId), refunded(orderId, 1_100));
    expect(await payments.balance(key)).toBe(90);
    // The older sum arrives again, late.
    await send(refunded(orderId, 5_500), refunded(orderId, 1_100));
    expect(await payments.balance(key)).toBe(50);
  });

  test('that is heard of before the payment is taken when the payment is credited', async () => {
    const { key, orderId } = await payments.order();
    await send(refunded(orderId, 11_000));
    expect(await payments.balance(key)).toBe(0);
    await send(paid(orderId), paid(orderId));
    expect(await payments.balance(key)).toBe(0);
    expect(await corrections(orderId)).toHaveLength(1);
  });

  test('in another currency or of an unknown order takes nothing, and is an alert', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    const before = payments.alerts().length;
    await send(refunded(orderId, 11_000).replace('"usd"', '"eur"'), refunded('ord-unknown', 100));
    expect(payments.alerts().slice(before)).toHaveLength(2);
    expect(await payments.balance(key)).toBe(100);
  });

  test('of another payment, or of another provider’s order, takes nothing, and is an alert', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    const [foreign] = await rows(
      `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
         vat_nano_usd, total_nano_usd, total_minor)
       select 'ord-of-another-provider', account_id, user_id, 'other', currency, rate_nano, credit_nano_usd,
         fee_nano_usd, vat_nano_usd, total_nano_usd, total_minor from top_up_orders where id = $1 returning id`,
      [orderId],
    );
    const before = payments.alerts().length;
    const ofAnother = refunded(orderId, 11_000).replace(`"${paymentOf(orderId)}"`, '"pi_other"');
    await send(ofAnother, refunded(String(foreign?.id), 11_000));
    expect(payments.alerts().slice(before)).toMatchObject([
      { fields: { outcome: 'other_payment' } },
      { fields: { outcome: 'other_provider' } },
    ]);
    expect(await payments.balance(key)).toBe(100);
  });
});

test('a refund without an amount takes nothing, and is an alert', async () => {
  const { key, orderId } = await payments.order();
  await send(paid(orderId));
  const before = payments.alerts().length;
  await send(refunded(orderId, 11_000).replace('11000', 'null'), refunded(orderId, 11_000).replace('11000', '-1'));
  const alert = { level: 'error', fields: { orderId, outcome: 'no_amount' } };
  expect(payments.alerts().slice(before)).toMatchObject([alert, alert]);
  expect(await payments.balance(key)).toBe(100);
});

test('a refund that failed is an alert, because its credit stays taken back', async () => {
  const { key, orderId } = await payments.order();
  await send(paid(orderId), refunded(orderId, 11_000));
  const before = payments.alerts().length;
  const paymentId = paymentOf(orderId);
  await send(eventText('refund.failed', { id: `re_${orderId}`, object: 'refund', payment_intent: paymentId }));
  expect(payments.alerts().slice(before)).toMatchObject([{ level: 'error', fields: { alert: 'payment', paymentId } }]);
  expect(await payments.balance(key)).toBe(0);
});

describe('a dispute', () => {
  test('takes the credit while it is open, and gives it back when it is won', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId), dispute(orderId, 'created', 'needs_response'));
    expect(await payments.balance(key)).toBe(0);
    await send(dispute(orderId, 'funds_withdrawn', 'needs_response'));
    expect(await payments.balance(key)).toBe(0);
    await send(dispute(orderId, 'closed', 'won'), dispute(orderId, 'funds_reinstated', 'won'));
    expect(await payments.balance(key)).toBe(100);
  });

  test('that asks only takes nothing', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId), dispute(orderId, 'created', 'warning_needs_response'));
    await send(dispute(orderId, 'closed', 'warning_closed'));
    expect(await payments.balance(key)).toBe(100);
  });

  test.each([
    ['won', 100],
    ['lost', 0],
  ])('%s, in every order of arrival and with repetitions, ends the same', async (status, balance) => {
    for (const order of permutations([0, 1, 2, 3])) {
      const { key, orderId } = await payments.order();
      const events = [
        paid(orderId),
        dispute(orderId, 'created', 'needs_response'),
        dispute(orderId, 'funds_withdrawn', 'needs_response'),
        dispute(orderId, 'closed', status),
      ];
      const sent = order.map((index) => events[index] as string);
      await send(...sent, ...sent);
      expect(await payments.balance(key), order.join(' ')).toBe(balance);
    }
  });

  test('and a refund of the same payment take no more than the credit', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId), refunded(orderId, 11_000), dispute(orderId, 'created', 'needs_response'));
    expect(await payments.balance(key)).toBe(0);
    await send(dispute(orderId, 'closed', 'won'));
    expect(await payments.balance(key)).toBe(0);
  });

  test('in another currency, heard of before the payment, takes nothing', async () => {
    const { key, orderId } = await payments.order();
    await send(dispute(orderId, 'created', 'needs_response').replace('"usd"', '"jpy"'), paid(orderId));
    expect(await payments.balance(key)).toBe(100);
  });

  test('of another payment touches nothing of this one', async () => {
    const first = await payments.order();
    const second = await payments.order();
    await send(paid(first.orderId), paid(second.orderId), dispute(first.orderId, 'closed', 'lost'));
    expect([await payments.balance(first.key), await payments.balance(second.key)]).toEqual([0, 100]);
  });
});

describe('credit that was spent', () => {
  const call = (key: string) => payments.harness.chat(key, { model: 'sim/dear', max_tokens: 16 });

  test('is owed: the account stands below zero, calls are refused until it is settled, and work again', async () => {
    const { key, orderId, userId } = await payments.order();
    await send(paid(orderId));
    // 1,000 prompt tokens at 60,000 USD for a million.
    expect((await call(key)).status).toBe(200);
    expect(await payments.balance(key)).toBe(40);
    await send(refunded(orderId, 11_000));
    expect(await payments.balance(key)).toBe(-60);
    const refused = await call(key);
    expect(refused.status).toBe(402);
    const credit = (amountUsd: number) =>
      payments.harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd, note: 'test' });
    await credit(60);
    expect((await call(key)).status).toBe(402);
    await credit(60);
    expect((await call(key)).status).toBe(200);
    expect(await payments.balance(key)).toBe(0);
    expect(await payments.harness.ledgerCheck()).toMatchObject({ ok: true });
  });

  test('a slice that a process holds in memory is not spent after its money went back', async () => {
    const { key, orderId } = await payments.order({ amountUsd: 200 });
    await send(paid(orderId));
    expect((await call(key)).status).toBe(200);
    await send(refunded(orderId, 22_000));
    expect((await call(key)).status).toBe(402);
    expect(await payments.balance(key)).toBe(-60);
  });

  test('nothing else can take an account below zero', async () => {
    const { userId } = await payments.order();
    const attempts = [
      'update accounts set balance_nano_usd = -1, total_spent_nano_usd = 1 where id = $1',
      'update accounts set leased_nano_usd = 1 where id = $1',
    ];
    for (const attempt of attempts) await expect(rows(attempt, [userId]), attempt).rejects.toThrow('accounts_');
    await rows('update accounts set owed_nano_usd = 5 where id = $1', [userId]);
    const check = await payments.harness.ledgerCheck();
    expect(check).toMatchObject({ ok: false });
    expect(String(check.discrepancies)).toContain('owed is $0.000000005, taken back was $0');
    await rows('update accounts set owed_nano_usd = 0 where id = $1', [userId]);
  });
});

test('a session that another payment was made for keeps its own', async () => {
  const { key, orderId } = await payments.order();
  const session = payments.stripe.session(orderId);
  await send(paid(orderId));
  await send(eventText('checkout.session.completed', sessionObject(session, { payment_intent: 'pi_other' })));
  await send(dispute(orderId, 'closed', 'lost'));
  expect(await payments.balance(key)).toBe(0);
});

describe('a refund by the operator', () => {
  const refund = (orderId: string, body: Record<string, unknown>) =>
    payments.harness.request('POST', `/admin/v1/orders/${orderId}/refund`, { key: ADMIN_TOKEN, body });

  test('gives money and credit back at once, and the notification that follows takes nothing more', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    const part = await refund(orderId, { reason: 'ordered too much', amountUsd: 25 });
    expect([part.status, part.body.reclaimedUsd]).toEqual([200, 25]);
    const goneCents = payments.stripe.refunded.get(orderId) ?? 0;
    expect(await payments.balance(key)).toBe(75);
    await send(refunded(orderId, goneCents), refunded(orderId, goneCents));
    expect(await payments.balance(key)).toBe(75);
    expect((await refund(orderId, { reason: 'too much', amountUsd: 75.01 })).status).toBe(409);
    const rest = await refund(orderId, { reason: 'all of it' });
    expect([rest.status, rest.body.reclaimedUsd]).toEqual([200, 100]);
    expect(payments.stripe.refunded.get(orderId)).toBe(payments.stripe.session(orderId).amount);
    await send(refunded(orderId, payments.stripe.session(orderId).amount));
    expect(await payments.balance(key)).toBe(0);
    expect((await refund(orderId, { reason: 'again' })).status).toBe(409);
  });

  test('of an odd part leaves a rest that can be refunded, to the last cent', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    // 3,666 of 11,000 cents are 33.327272727… USD of credit.
    expect((await refund(orderId, { reason: 'a third', amountUsd: 33.33 })).status).toBe(200);
    expect(payments.stripe.refunded.get(orderId)).toBe(3_666);
    const rest = await refund(orderId, { reason: 'all of it' });
    expect([rest.status, rest.body.reclaimedUsd]).toEqual([200, 100]);
    expect(payments.stripe.refunded.get(orderId)).toBe(11_000);
    expect(await payments.balance(key)).toBe(0);
  });

  test('is refused for what was not paid, and changes nothing when the provider is away', async () => {
    const { key, orderId } = await payments.order();
    expect((await refund(orderId, { reason: 'unpaid' })).status).toBe(409);
    expect((await refund('ord-none', { reason: 'none' })).status).toBe(404);
    expect((await refund(orderId, {})).status).toBe(400);
    await send(paid(orderId));
    payments.stripe.failure = { status: 400, body: '{"error":{"type":"invalid_request_error","message":"no"}}' };
    expect((await refund(orderId, { reason: 'away' })).status).toBe(502);
    payments.stripe.failure = null;
    expect(await payments.balance(key)).toBe(100);
  });

  test('whose answer was lost is made once, also when its notification came before it is sent again', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    const part = { reason: 'ordered too much', amountUsd: 25 };
    payments.stripe.losesRefunds = true;
    const lost = await refund(orderId, part);
    payments.stripe.losesRefunds = false;
    expect([lost.status, lost.text]).toEqual([502, expect.stringContaining('refunds only once')]);
    await send(refunded(orderId, 2_750));
    const again = await refund(orderId, part);
    expect([again.status, again.body.reclaimedUsd]).toEqual([200, 25]);
    expect([payments.stripe.refunded.get(orderId), await payments.balance(key)]).toEqual([2_750, 75]);
    // It is known now, so the same request is another refund.
    expect((await refund(orderId, part)).body.reclaimedUsd).toBe(50);
    expect([payments.stripe.refunded.get(orderId), await payments.balance(key)]).toEqual([5_500, 50]);
  });

  test('that the provider refuses can be asked for again, and is then made', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    payments.stripe.failure = { status: 400, body: '{"error":{"type":"invalid_request_error","message":"no"}}' };
    const refused = await refund(orderId, { reason: 'no money at the provider' });
    payments.stripe.failure = null;
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('Nothing was refunded')]);
    const keyOf = () => payments.stripe.requests.at(-1)?.idempotencyKey;
    const before = keyOf();
    expect((await refund(orderId, { reason: 'no money at the provider' })).status).toBe(200);
    expect(keyOf()).not.toBe(before);
    expect(await payments.balance(key)).toBe(0);
  });

  test('sent twice at once, it refunds once', async () => {
    const { key, orderId } = await payments.order();
    await send(paid(orderId));
    const answers = await Promise.all([refund(orderId, { reason: 'twice' }), refund(orderId, { reason: 'twice' })]);
    expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true);
    expect(payments.stripe.refunded.get(orderId)).toBe(payments.stripe.session(orderId).amount);
    expect(await payments.balance(key)).toBe(0);
  });
});
