// Notifications of payments: however often, in whatever order and by whomever they are sent, an order is credited once
// if its provider has confirmed exactly this order, and otherwise not.

import { createHmac } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventText, sessionObject } from './fake-stripe.ts';
import { type LogLine, type PaymentsHarness, startPaymentsHarness } from './payments-harness.ts';

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness();
});

afterAll(async () => {
  expect(await payments.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await payments.close();
});

/** Plain SQL, past the gateway. */
async function rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: payments.harness.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

const credits = async (orderId: string): Promise<number> =>
  (await rows("select 1 from journal_entries where kind = 'credit' and reference = $1", [orderId])).length;

const stateOf = async (orderId: string): Promise<unknown> =>
  (await rows('select state from top_up_orders where id = $1', [orderId]))[0]?.state;

const newAlerts = async (run: () => Promise<void>): Promise<LogLine[]> => {
  const before = payments.alerts().length;
  await run();
  return payments.alerts().slice(before);
};

/** A repeatable shuffle, so that a failure can be run again. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const result = [...items];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as Item, result[index] as Item];
  }
  return result;
}

/** Every notification that the provider may send about a paid order. */
function everyEvent(orderId: string): string[] {
  const session = payments.stripe.session(orderId);
  return [
    eventText('checkout.session.completed', sessionObject(session, { payment_status: 'unpaid' })),
    eventText('checkout.session.completed', sessionObject(session)),
    eventText('checkout.session.async_payment_succeeded', sessionObject(session)),
    eventText('checkout.session.expired', sessionObject(session, { payment_status: 'unpaid' })),
    eventText('checkout.session.async_payment_failed', sessionObject(session, { payment_status: 'unpaid' })),
    // The payment of a checkout page has the order's name too, and its session counts.
    eventText('payment_intent.succeeded', {
      ...{ id: `pi_${orderId}`, object: 'payment_intent', currency: session.currency },
      ...{ amount: session.amount, amount_received: session.amount, metadata: { tollgate_order_id: orderId } },
    }),
  ];
}

describe('a payment', () => {
  test('BILL-12 1,000 replays and permutations of its notifications: one credit', async () => {
    const { key, orderId } = await payments.order();
    const events = everyEvent(orderId);
    const replays = Array.from({ length: 1_000 }, (_, index) => events[index % events.length] as string);
    const queue = shuffled(replays, 7);
    const alerts = await newAlerts(async () => {
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          for (let payload = queue.pop(); payload !== undefined; payload = queue.pop()) {
            expect((await payments.notify(payload)).status).toBe(200);
          }
        }),
      );
    });
    expect(alerts).toEqual([]);
    expect(await credits(orderId)).toBe(1);
    expect(await stateOf(orderId)).toBe('paid');
    expect(await payments.balance(key)).toBe(100);
  });

  test('BILL-12 in every order of arrival: one credit', async () => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const { key, orderId } = await payments.order({ amountUsd: 5 });
      for (const payload of shuffled(everyEvent(orderId), seed)) {
        expect((await payments.notify(payload)).status, `seed ${seed}`).toBe(200);
      }
      expect(await payments.balance(key), `seed ${seed}`).toBe(5);
      expect(await stateOf(orderId), `seed ${seed}`).toBe('paid');
    }
  });

  test('BILL-12 the same notification 50 times at once: one credit', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, orderId } = await payments.order();
      const payload = payments.paidEvent(orderId);
      const answers = await Promise.all(Array.from({ length: 50 }, () => payments.notify(payload)));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(await credits(orderId)).toBe(1);
      expect(await payments.balance(key)).toBe(100);
    }
  });

  test('two orders of one user are two credits', async () => {
    const { key, orderId } = await payments.order();
    const second = await payments.harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 7.5 } });
    await payments.notify(payments.paidEvent(orderId));
    await payments.notify(payments.paidEvent(String(second.body.id)));
    expect(await payments.balance(key)).toBe(107.5);
  });
});

test('BILL-12 what somebody orders with a key of an organization is the organization’s credit, and not their own', async () => {
  const { harness } = payments;
  const { key: personal, userId } = await harness.account(0);
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
  const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'ci', userId });
  const key = String(made.key);
  const ordered = await harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 100 } });
  await payments.notify(payments.paidEvent(String(ordered.body.id)));
  expect([await payments.balance(key), await payments.balance(personal)]).toEqual([100, 0]);
});

describe('a forged notification', () => {
  const forgeries: readonly [string, (payload: string) => { payload: string; signature: string | null }][] = [
    ['unsigned', (payload) => ({ payload, signature: null })],
    ['with an empty signature', (payload) => ({ payload, signature: '' })],
    ['with a signature of nothing', (payload) => ({ payload, signature: 't=1,v1=' })],
    ['signed with an empty secret', (payload) => ({ payload, signature: emptySecretSignature(payload) })],
    [
      'signed with another secret',
      (payload) => ({ payload, signature: payments.stripe.sign(payload, { secret: 'whsec_other' }) }),
    ],
    [
      'changed after it was signed',
      (payload) => ({ payload: payload.replace('cs_test_', 'cs_live_'), signature: payments.stripe.sign(payload) }),
    ],
    [
      'of an hour ago',
      (payload) => ({
        payload,
        signature: payments.stripe.sign(payload, { timestamp: Math.floor(Date.now() / 1000) - 3_600 }),
      }),
    ],
    ['with the signature of another one', (payload) => ({ payload, signature: payments.stripe.sign('{}') })],
    ['that is signed and no JSON', () => ({ payload: '<xml>', signature: payments.stripe.sign('<xml>') })],
  ];

  /** HMAC with an empty key, made by hand: the library refuses to. */
  function emptySecretSignature(payload: string): string {
    const timestamp = Math.floor(Date.now() / 1000);
    return `t=${timestamp},v1=${createHmac('sha256', '').update(`${timestamp}.${payload}`).digest('hex')}`;
  }

  test.each(forgeries)('BILL-12 %s is a 400, credits nothing and is in the log', async (_, forge) => {
    const { key, orderId } = await payments.order();
    const { payload, signature } = forge(payments.paidEvent(orderId));
    const alerts = await newAlerts(async () => {
      const answer = await payments.notify(payload, { signature });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { code: 400, message: 'The notification is not authentic.' } });
    });
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatchObject({ level: 'warn', fields: { alert: 'payment', provider: 'stripe' } });
    expect(await payments.balance(key)).toBe(0);
    expect(await stateOf(orderId)).toBe('created');
  });

  test('an empty body is a 400, and one over the limit a 413', async () => {
    expect((await payments.notify('', { signature: payments.stripe.sign('x') })).status).toBe(400);
    const large = 'x'.repeat(1_048_577);
    expect((await payments.notify(large, { signature: payments.stripe.sign(large) })).status).toBe(413);
  });

  test('a provider that is not set up is a 404', async () => {
    const { key, orderId } = await payments.order();
    for (const provider of ['paypal', '__proto__', 'constructor']) {
      expect((await payments.notify(payments.paidEvent(orderId), { provider })).status).toBe(404);
    }
    expect(await payments.balance(key)).toBe(0);
  });
});

describe('an authentic notification that does not fit the order', () => {
  const changes: readonly [string, Record<string, unknown>, string][] = [
    ['another amount', { amount_total: 10_999 }, 'other_amount'],
    ['an amount of one cent', { amount_total: 1 }, 'other_amount'],
    ['a larger amount', { amount_total: 110_000 }, 'other_amount'],
    ['no amount', { amount_total: null }, 'other_amount'],
    ['an amount as text', { amount_total: '11000' }, 'other_amount'],
    ['a fraction', { amount_total: 11000.5 }, 'other_amount'],
    ['another currency', { currency: 'jpy' }, 'other_currency'],
    ['no currency', { currency: null }, 'other_currency'],
    ['another session', { id: 'cs_test_other' }, 'other_session'],
    ['an order that never was', { metadata: { tollgate_order_id: 'ord-000000000000000000000000' } }, 'unknown_order'],
  ];
  test.each(changes)('BILL-12 %s: no credit, and an alert', async (_, change, outcome) => {
    const { key, orderId } = await payments.order();
    const alerts = await newAlerts(async () => {
      expect((await payments.notify(payments.paidEvent(orderId, change))).status).toBe(200);
    });
    expect(alerts).toMatchObject([{ level: 'error', fields: { alert: 'payment', provider: 'stripe', outcome } }]);
    expect(await payments.balance(key)).toBe(0);
    expect(await stateOf(orderId)).toBe('created');
    // A right notification is still accepted afterwards.
    await payments.notify(payments.paidEvent(orderId));
    expect(await payments.balance(key)).toBe(100);
  });

  test('BILL-12 the order of another provider: no credit, and an alert', async () => {
    const { key, orderId } = await payments.order();
    const [order] = await rows(
      `insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
         vat_nano_usd, total_nano_usd, total_minor)
       select 'ord-of-another-provider', account_id, user_id, 'other', currency, rate_nano, credit_nano_usd,
         fee_nano_usd, vat_nano_usd, total_nano_usd, total_minor from top_up_orders where id = $1 returning id`,
      [orderId],
    );
    const change = { metadata: { tollgate_order_id: order?.id } };
    const alerts = await newAlerts(async () => {
      expect((await payments.notify(payments.paidEvent(orderId, change))).status).toBe(200);
    });
    expect(alerts).toMatchObject([{ fields: { outcome: 'other_provider' } }]);
    expect(await payments.balance(key)).toBe(0);
  });

  test('one session never pays for two orders', async () => {
    const first = await payments.order();
    const second = await payments.order();
    const session = payments.stripe.session(first.orderId);
    const change = { metadata: { tollgate_order_id: second.orderId } };
    await payments.notify(payments.paidEvent(first.orderId));
    await payments.notify(eventText('checkout.session.completed', sessionObject(session, change)));
    expect(await payments.balance(first.key)).toBe(100);
    expect(await payments.balance(second.key)).toBe(0);
  });

  test('news about payments that are not ours is acknowledged without an alert', async () => {
    const { key, orderId } = await payments.order();
    const alerts = await newAlerts(async () => {
      for (const change of [{ metadata: {} }, { metadata: null }, { metadata: [] }, { mode: 'subscription' }]) {
        expect((await payments.notify(payments.paidEvent(orderId, change))).status).toBe(200);
      }
      expect((await payments.notify(eventText('customer.created', { id: 'cus_1' }))).status).toBe(200);
    });
    expect(alerts).toEqual([]);
    expect(await payments.balance(key)).toBe(0);
  });

  test('every authentic event about an order is on record, once', async () => {
    const { orderId } = await payments.order();
    const paid = payments.paidEvent(orderId);
    const wrong = payments.paidEvent(orderId, { amount_total: 1 });
    for (const payload of [wrong, wrong, paid, paid]) await payments.notify(payload);
    const events = await rows('select kind, outcome from payment_events where order_id = $1 order by outcome', [
      orderId,
    ]);
    expect(events).toEqual([
      { kind: 'paid', outcome: 'accepted' },
      { kind: 'paid', outcome: 'other_amount' },
    ]);
  });
});

describe('an order in the database', () => {
  test('moves each way once, and its figures stand', async () => {
    const { orderId } = await payments.order();
    await payments.notify(payments.paidEvent(orderId));
    const refused = [
      "update top_up_orders set state = 'created', paid_at = null where id = $1",
      "update top_up_orders set state = 'paying' where id = $1",
      "update top_up_orders set state = 'expired', paid_at = null where id = $1",
      'update top_up_orders set credit_nano_usd = credit_nano_usd * 2 where id = $1',
      "update top_up_orders set session_id = 'cs_other' where id = $1",
      'update top_up_orders set paid_at = now() where id = $1',
      'delete from top_up_orders where id = $1',
    ];
    for (const statement of refused) {
      await expect(rows(statement, [orderId]), statement).rejects.toThrow('is refused');
    }
    const { orderId: fresh } = await payments.order();
    await expect(rows("update top_up_orders set state = 'paid' where id = $1", [fresh])).rejects.toThrow();
  });
});
