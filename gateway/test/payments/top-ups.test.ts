// Top-ups through the front door: the price before paying, the page to pay on, the credit, the receipt.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import { ADMIN_TOKEN, startHarness } from '../harness.ts';
import { eventText, SECRET_KEY, sessionObject } from './fake-stripe.ts';
import { type PaymentsHarness, startPaymentsHarness } from './payments-harness.ts';

let payments: PaymentsHarness;

beforeAll(async () => {
  payments = await startPaymentsHarness();
});

afterAll(async () => {
  expect(await payments.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await payments.close();
});

const get = (path: string, key: string, headers: Record<string, string> = {}) =>
  payments.harness.request('GET', path, { key, headers });

describe('the price, before paying', () => {
  test('BILL-12 a quote shows fee, tax and total, and orders nothing', async () => {
    const { key } = await payments.harness.account(0);
    const usd = await get('/v1/credits/topups/quote?amountUsd=100', key);
    expect(usd.status).toBe(200);
    expect(usd.body).toEqual({
      channel: 'usd',
      creditUsd: 100,
      feeUsd: 10,
      vatUsd: 0,
      roundingUsd: 0,
      totalUsd: 110,
      currency: 'usd',
      total: 110,
      exchangeRate: '1',
    });
    const local = await get('/v1/credits/topups/quote?amountUsd=100&channel=EUR', key);
    expect(local.body).toMatchObject({ vatUsd: 5, totalUsd: 115, currency: 'eur', total: 105.8, exchangeRate: '0.92' });
    const yen = await get('/v1/credits/topups/quote?amountUsd=5.05&channel=jpy', key);
    expect(yen.body).toMatchObject({ feeUsd: 0.505, vatUsd: 0.2525, roundingUsd: 0.0025, totalUsd: 5.81, total: 869 });
    expect((await get('/v1/credits/topups', key)).body).toEqual({ data: [], next: null });
  });

  test('BILL-12 an amount or channel that is not offered is refused by name', async () => {
    const { key } = await payments.harness.account(0);
    const asked = payments.stripe.requests.length;
    for (const amountUsd of [4.99, 10000.01, 0, -5, 5.001, '5.001', 'five', '', 1e300, null, true, [], '5e1', '٥']) {
      const answer = await payments.harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd } });
      expect(answer.status, String(amountUsd)).toBe(400);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('amountUsd') } });
    }
    for (const query of ['', 'amountUsd=', 'amountUsd=abc', 'amountUsd=1']) {
      expect((await get(`/v1/credits/topups/quote?${query}`, key)).status, query).toBe(400);
    }
    for (const [field, body] of [
      ['channel', { amountUsd: 5, channel: 'gbp' }],
      ['channel', { amountUsd: 5, channel: '__proto__' }],
      ['provider', { amountUsd: 5, provider: 'paypal' }],
    ] as const) {
      const answer = await payments.harness.request('POST', '/v1/credits/topups', { key, body });
      expect(answer.status, field).toBe(400);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining(field) } });
    }
    expect(payments.stripe.requests).toHaveLength(asked);
    for (const amountUsd of [5, '10000.00']) {
      const answer = await payments.harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd } });
      expect(answer.status).toBe(201);
    }
  });
});

describe('an order', () => {
  test('BILL-12 answers with the breakdown and the page to pay on', async () => {
    const { answer, orderId } = await payments.order({ channel: 'eur' });
    const session = payments.stripe.session(orderId);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^ord-[0-9a-f]{24}$/),
      state: 'created',
      provider: 'stripe',
      channel: 'eur',
      creditUsd: 100,
      feeUsd: 10,
      vatUsd: 5,
      roundingUsd: 0,
      totalUsd: 115,
      currency: 'eur',
      total: 105.8,
      exchangeRate: '0.92',
      checkoutUrl: `https://checkout.test/${session.id}`,
      createdAt: expect.stringMatching(/Z$/),
      paidAt: null,
      reclaimedUsd: 0,
      automatic: false,
    });
    const request = payments.stripe.requests.at(-1);
    expect(request?.authorization).toBe(`Bearer ${SECRET_KEY}`);
    expect(request?.idempotencyKey).toBe(orderId);
    const sent = Object.fromEntries(request?.fields ?? []);
    expect(sent).toMatchObject({
      mode: 'payment',
      client_reference_id: orderId,
      'metadata[tollgate_order_id]': orderId,
      'payment_intent_data[metadata][tollgate_order_id]': orderId,
      'adaptive_pricing[enabled]': 'false',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '10580',
      'line_items[0][price_data][product_data][name]': 'API credit of USD 100',
      'line_items[0][price_data][product_data][description]': 'Includes a transaction fee of USD 10 and VAT of USD 5.',
      success_url: `${payments.harness.url}/console/credits?topup=${orderId}`,
      cancel_url: `${payments.harness.url}/console/credits?topup=${orderId}`,
    });
  });

  test('BILL-12 whoever pays for an organization comes back to the page of its credit', async () => {
    const { harness, stripe } = payments;
    const { userId } = await harness.account(0);
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
    const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'ci', userId });
    const body = { amountUsd: 10 };
    const { body: order } = await harness.request('POST', '/v1/credits/topups', { key: String(made.key), body });
    const sent = Object.fromEntries(stripe.requests.at(-1)?.fields ?? []);
    expect(sent.success_url).toBe(`${harness.url}/console/credits?topup=${order.id}&orgId=${org.id}`);
  });

  test('ORG-17 an organization’s orders are shown to those who see its bills; a member’s key shows its holder’s', async () => {
    const { harness } = payments;
    const [admin, member] = [await harness.account(0), await harness.account(0)];
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: admin.userId });
    const made = async (keyType: string, userId: string): Promise<string> =>
      String((await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'k', keyType, userId })).key);
    const managing = await made('management', admin.userId);
    const { email } = await harness.operate('GET', `/admin/v1/users/${member.userId}`);
    await harness.request('POST', `/v1/orgs/${org.id}/members`, { key: managing, body: { email } });
    const [first, second] = [await made('standard', admin.userId), await made('standard', member.userId)];
    const ids: unknown[] = [];
    for (const key of [first, second]) {
      ids.unshift((await harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 10 } })).body.id);
    }
    const listed = async (key: string): Promise<unknown[]> =>
      ((await get('/v1/credits/topups', key)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await listed(managing)).toEqual(ids);
    expect([await listed(first), await listed(second)]).toEqual([[ids[1]], [ids[0]]]);
    expect((await get(`/v1/credits/topups/${ids[0]}`, managing)).status).toBe(200);
    expect((await get(`/v1/credits/topups/${ids[0]}`, first)).status).toBe(404);
    expect((await get('/v1/credits/topups', (await harness.account(0)).key)).body.data).toEqual([]);
  });

  test('BILL-12 a currency that the provider counts in other units is charged and recognized all the same', async () => {
    const { key, orderId } = await payments.order({ channel: 'isk' });
    expect(payments.stripe.session(orderId).amount).toBe(1_590_000);
    expect((await payments.notify(payments.paidEvent(orderId))).status).toBe(200);
    expect(await payments.balance(key)).toBe(100);
  });

  test('BILL-12 is paid once its payment is reported, and only then credited', async () => {
    const { key, orderId } = await payments.order();
    expect(await payments.balance(key)).toBe(0);
    expect((await get(`/v1/credits/topups/${orderId}`, key)).body).toMatchObject({ state: 'created', paidAt: null });
    const answer = await payments.notify(payments.paidEvent(orderId));
    expect(answer.status).toBe(200);
    expect(await payments.balance(key)).toBe(100);
    const { body } = await get(`/v1/credits/topups/${orderId}`, key);
    expect(body).toMatchObject({ id: orderId, state: 'paid', checkoutUrl: null, paidAt: expect.any(String) });
    expect((await get('/v1/credits/topups', key)).body).toEqual({ data: [body], next: null });
  });

  test('the credit is spendable at once', async () => {
    const { key, orderId } = await payments.order({ amountUsd: 5 });
    expect((await payments.harness.chat(key, { model: 'openai/test' })).status).toBe(402);
    await payments.notify(payments.paidEvent(orderId));
    expect((await payments.harness.chat(key, { model: 'openai/test' })).status).toBe(200);
  });

  test('AUTH-01 ERR-07 of somebody else is a 404, and in nobody else’s list', async () => {
    const { key, orderId, userId } = await payments.order();
    const other = await payments.harness.account(0);
    for (const path of [`/v1/credits/topups/${orderId}`, `/v1/credits/topups/${orderId}/receipt`]) {
      expect((await get(path, other.key)).status).toBe(404);
      expect((await payments.harness.request('GET', path)).status).toBe(401);
    }
    expect((await get('/v1/credits/topups', other.key)).body).toEqual({ data: [], next: null });
    expect((await get(`/v1/credits/topups?after=${orderId}`, other.key)).body).toEqual({ data: [], next: null });
    const second = await payments.harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'second' });
    expect((await get(`/v1/credits/topups/${orderId}`, String(second.key))).status).toBe(200);
    expect((await get('/v1/credits/topups/ord-none', key)).status).toBe(404);
  });

  test('a list is paged, newest first', async () => {
    const { key } = await payments.harness.account(0);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { body } = await payments.harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 5 } });
      ids.unshift(String(body.id));
    }
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const { body } = await get(`/v1/credits/topups?limit=2${after}`, key);
      const page = body as { data: { id: string }[]; next: string | null };
      seen.push(...page.data.map(({ id }) => id));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(seen).toEqual(ids);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'after=%00', 'after=']) {
      expect((await get(`/v1/credits/topups?${query}`, key)).status, query).toBe(400);
    }
  });

  test('more than fifty unpaid ones in a day are refused, for one user', async () => {
    const { key } = await payments.harness.account(0);
    const ask = () => payments.harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 5 } });
    for (let index = 0; index < 50; index += 1) expect((await ask()).status).toBe(201);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect((await payments.order()).answer.status).toBe(201);
  });

  test('BILL-12 a provider that fails is a 502: nothing is charged, and its words and our key stay inside', async () => {
    const secret = 'No such price: acct_12345 sk_live_abcdef';
    const failures = [
      { status: 400, body: JSON.stringify({ error: { message: secret, type: 'invalid_request_error' } }) },
      { status: 200, body: JSON.stringify({ id: 'cs_no_page', object: 'checkout.session', url: null }) },
      { status: 200, body: '<html>' },
      'hang up' as const,
    ];
    for (const failure of failures) {
      payments.stripe.failure = failure;
      const { answer, key } = await payments.order();
      payments.stripe.failure = null;
      expect(answer.status).toBe(502);
      expect(answer.text).not.toMatch(/acct_|sk_/);
      const { body } = await get('/v1/credits/topups', key);
      expect(body).toMatchObject({ data: [{ state: 'expired', checkoutUrl: null }] });
    }
  });
});

describe('a receipt', () => {
  test('BILL-12 exists once paid, as JSON and as text', async () => {
    const { key, orderId, userId } = await payments.order({ amountUsd: 5.05, channel: 'eur' });
    const path = `/v1/credits/topups/${orderId}/receipt`;
    expect((await get(path, key)).status).toBe(409);
    await payments.notify(payments.paidEvent(orderId));
    const { id: sessionId } = payments.stripe.session(orderId);
    const json = await get(path, key);
    expect(json.headers.get('content-type')).toContain('application/json');
    expect(json.body).toMatchObject({
      receiptNumber: orderId,
      issuer: payments.harness.url,
      accountId: userId,
      creditUsd: 5.05,
      feeUsd: 0.505,
      vatUsd: 0.2525,
      roundingUsd: 0.0025,
      totalUsd: 5.81,
      currency: 'eur',
      total: 5.35,
      exchangeRate: '0.92',
      provider: 'stripe',
      providerReference: sessionId,
    });
    const text = await get(path, key, { Accept: 'text/plain' });
    expect(text.headers.get('content-type')).toContain('text/plain');
    expect(text.text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME')).toBe(
      [
        `Receipt                ${orderId}`,
        `Issued by              ${payments.harness.url}`,
        `Account                ${userId}`,
        `Paid                   TIME through stripe (${sessionId})`,
        'Credit                 USD 5.05',
        'Transaction fee (10%)  USD 0.505',
        'VAT (5%)               USD 0.2525',
        'Rounding               USD 0.0025',
        'Total                  USD 5.81',
        'Exchange rate          1 USD = 0.92 EUR',
        'Charged                EUR 5.35',
        '',
      ].join('\n'),
    );
  });
});

describe('the operator', () => {
  test('sees all orders, by state, page by page, with whom and where', async () => {
    const { orderId, userId } = await payments.order();
    await payments.notify(payments.paidEvent(orderId));
    const paid = await payments.harness.operate('GET', '/admin/v1/orders?state=paid&limit=1');
    expect(paid.data).toMatchObject([
      { id: orderId, state: 'paid', userId, accountId: userId, sessionId: payments.stripe.session(orderId).id },
    ]);
    expect(paid.next).toBe(orderId);
    const second = await payments.harness.operate('GET', `/admin/v1/orders?state=paid&limit=1&after=${orderId}`);
    expect((second.data as { id: string }[])[0]?.id).not.toBe(orderId);
    const { email } = (paid.data as [{ email: string }])[0];
    const { id: sessionId } = payments.stripe.session(orderId);
    for (const text of [email, email.toUpperCase(), orderId, userId, sessionId]) {
      const found = await payments.harness.operate('GET', `/admin/v1/orders?query=${encodeURIComponent(text)}`);
      expect(found.data).toMatchObject([{ id: orderId, email }]);
    }
    expect((await payments.harness.operate('GET', '/admin/v1/orders?query=nobody%40example.com')).data).toEqual([]);
    const all = await payments.harness.operate('GET', '/admin/v1/orders');
    expect(new Set((all.data as { state: string }[]).map(({ state }) => state)).size).toBeGreaterThan(1);
    const wrong = await payments.harness.request('GET', '/admin/v1/orders?state=lost', { key: ADMIN_TOKEN });
    expect(wrong.status).toBe(400);
    expect((await payments.harness.request('GET', '/admin/v1/orders')).status).toBe(401);
  });
});

describe('an event that decides nothing', () => {
  test.each([
    ['completed and not yet paid', 'checkout.session.completed', { payment_status: 'unpaid' }, 'created'],
    ['expired', 'checkout.session.expired', { payment_status: 'unpaid', status: 'expired' }, 'expired'],
    ['failed later', 'checkout.session.async_payment_failed', { payment_status: 'unpaid' }, 'expired'],
  ])('BILL-12 %s credits nothing', async (_, type, changes, state) => {
    const { key, orderId } = await payments.order();
    const session = payments.stripe.session(orderId);
    expect((await payments.notify(eventText(type, sessionObject(session, changes)))).status).toBe(200);
    expect(await payments.balance(key)).toBe(0);
    expect((await get(`/v1/credits/topups/${orderId}`, key)).body).toMatchObject({ state });
    // A late payment is still credited.
    const late = eventText('checkout.session.async_payment_succeeded', sessionObject(session));
    expect((await payments.notify(late)).status).toBe(200);
    expect(await payments.balance(key)).toBe(100);
  });
});

describe('without a provider', () => {
  test('BILL-12 a top-up is a 503 that says so, a quote still works, and there is no webhook', async () => {
    const harness = await startHarness();
    try {
      const { key } = await harness.account(0);
      const answer = await harness.request('POST', '/v1/credits/topups', { key, body: { amountUsd: 5 } });
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('Top-ups are not set up') } });
      expect((await harness.request('GET', '/v1/credits/topups/quote?amountUsd=5', { key })).status).toBe(200);
      const local = await harness.request('GET', '/v1/credits/topups/quote?amountUsd=5&channel=eur', { key });
      expect(local.body).toMatchObject({ error: { message: 'channel: must be one of usd.' } });
      expect((await harness.request('POST', '/webhooks/stripe', { body: '{}' })).status).toBe(404);
    } finally {
      await harness.close();
    }
  });
});

describe('the settings', () => {
  const problems = (environment: Record<string, string>): readonly string[] => {
    try {
      readConfig(environment);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };

  test('an empty or missing webhook secret stops the start', () => {
    const problem =
      'STRIPE_WEBHOOK_SECRET: is required with STRIPE_SECRET_KEY: without it anybody could report a payment';
    expect(problems({ STRIPE_SECRET_KEY: 'sk' })).toEqual([problem]);
    expect(problems({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: '' })).toEqual([problem]);
    expect(problems({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: ' \n' })).toEqual([problem]);
    expect(problems({ STRIPE_WEBHOOK_SECRET: 'whsec' })).toHaveLength(1);
    expect(problems({ STRIPE_SECRET_KEY: 'sk', STRIPE_WEBHOOK_SECRET: 'whsec' })).toEqual([]);
    expect(problems({ STRIPE_API_BASE: 'ftp://x' })).toHaveLength(1);
    expect(problems({ STRIPE_API_BASE: 'https://proxy.test/stripe' })).toHaveLength(1);
    expect(problems({ STRIPE_API_BASE: 'https://proxy.test/' })).toEqual([]);
  });

  test('local currencies need a known name and a rate, once each', () => {
    const rates = readConfig({ TOLLGATE_TOPUP_CURRENCIES: 'eur=0.92, JPY=149.5' }).topUpCurrencies;
    expect(rates).toEqual([
      { currency: 'eur', rateNano: 920_000_000n },
      { currency: 'jpy', rateNano: 149_500_000_000n },
    ]);
    for (const text of [
      'eur',
      'eur=',
      'eur=0',
      'eur=0.001',
      'eur=1000001',
      'eur=1=2',
      'eur=-1',
      'eur=1e3',
      'usd=1',
      'xyz1=1',
      'qqq=1',
      'eur=1,eur=2',
      '=1',
    ]) {
      expect(problems({ TOLLGATE_TOPUP_CURRENCIES: text }), text).toHaveLength(1);
    }
  });
});
