// A saved card buys credit when the balance runs low: once for one cause, however many processes look and whatever
// answer is lost; within the month's limit; and not again after a declined card until its holder saves the settings.

import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCorrections } from '../../src/modules/ledger/adjustments.ts';
import { createPayments, type Payments } from '../../src/modules/payments/payments.ts';
import { createStripeProvider } from '../../src/modules/payments/providers/stripe.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { Mail } from '../../src/platform/mail/mailer.ts';
import { signIn } from '../authorization/sign-in.ts';
import { customer, PASSWORD, type Person } from '../authorization/world.ts';
import type { Json } from '../harness.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, USD } from '../ledger/fixture.ts';
import { eventText, FakeStripe, intentObject, SECRET_KEY, setupObject } from './fake-stripe.ts';
import { type PaymentsHarness, startPaymentsHarness } from './payments-harness.ts';

const SETTINGS = { thresholdNanoUsd: 10n * USD, amountNanoUsd: 25n * USD, monthMaxNanoUsd: 60n * USD };

describe('buying', () => {
  let bed: LedgerBed;
  let process: LedgerProcess;
  let stripe: FakeStripe;
  let userId: string;
  let mails: Mail[];
  let mayPay: boolean;
  let payments: readonly [Payments, Payments];

  const paymentsOf = async (): Promise<Payments> =>
    createPayments({
      database: process.database,
      ledger: process.ledger,
      corrections: createCorrections(process.notices),
      mailer: { send: async (mail) => void mails.push(mail) },
      addressOf: async () => 'ann@example.test',
      mayPay: async () => mayPay,
      providers: [
        await createStripeProvider(
          { secretKey: SECRET_KEY, webhookSecret: stripe.env.STRIPE_WEBHOOK_SECRET ?? '', apiBase: stripe.url },
          systemClock,
        ),
      ],
      localChannels: [],
      logger: silentLogger,
    });

  beforeAll(async () => {
    bed = await openBed();
    process = await bed.startProcess();
    stripe = await FakeStripe.start();
    payments = [await paymentsOf(), await paymentsOf()];
  });

  afterAll(async () => {
    expect(await process.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
    await stripe.close();
    await bed.close();
  });

  beforeEach(async () => {
    await bed.rows('update automatic_top_ups set is_enabled = false');
    [mails, mayPay, stripe.card] = [[], true, 'pays'];
    stripe.charges.clear();
    userId = await fundedAccount(process, 4n * USD);
    const email = `${userId}@example.test`;
    await bed.rows("insert into users (id, email, email_normalized, name) values ($1, $2, $2, 'A')", [userId, email]);
    const owner = { accountId: userId, userId };
    const { automatic } = payments[0];
    await automatic.save(owner, { isEnabled: true, ...SETTINGS });
    const page = await automatic.openCardPage(owner, 'https://site.test/');
    await tell('checkout.session.completed', setupObject(page.split('/').at(-1) ?? ''));
  });

  function tell(type: string, object: Record<string, unknown>): Promise<void> {
    const text = eventText(type, object);
    const header = (name: string) => (name === 'stripe-signature' ? stripe.sign(text) : undefined);
    return payments[1].receive('stripe', { body: Buffer.from(text), header });
  }

  const run = (): Promise<unknown> =>
    Promise.all(payments.flatMap(({ automatic }) => [automatic.run(), automatic.run()]));
  const balance = async (): Promise<bigint> => (await process.ledger.account(userId)).balanceNanoUsd / USD;
  const read = () => payments[0].automatic.read(userId);
  const orders = () =>
    bed.rows('select state, tries from top_up_orders where account_id = $1 order by created_at', [userId]);
  /** As if so long had passed since the last try. */
  const wait = (seconds: number) =>
    bed.rows("update top_up_orders set tried_at = tried_at - $2 * interval '1 second' where account_id = $1", [
      userId,
      seconds,
    ]);

  test('happens once for one cause, however many look for it', async () => {
    await run();
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([29n, 1]);
    expect(await orders()).toMatchObject([{ state: 'paid' }]);
    const fields = stripe.requests.at(-1)?.fields;
    expect(Object.fromEntries(fields ?? [])).toMatchObject({ amount: '2750', off_session: 'true', confirm: 'true' });
    const [order] = await payments[0].listOrders({ accountId: userId, userId }, { after: null, limit: 1 });
    await tell('payment_intent.succeeded', intentObject({ orderId: order?.id ?? '', amount: 2_750, currency: 'usd' }));
    expect(await balance()).toBe(29n);
  });

  test('goes on for the others where it fails for one account', async () => {
    const email = 'first@example.test';
    await bed.rows("insert into users (id, email, email_normalized, name) values ('usr-!', $1, $1, 'A')", [email]);
    await bed.rows("insert into accounts (id, kind) values ('usr-!', 'prepaid')");
    // It comes first, and no charge can be made of so small an amount.
    await bed.rows(
      `insert into automatic_top_ups (account_id, user_id, provider, is_enabled, threshold_nano_usd, amount_nano_usd,
         month_max_nano_usd, customer_id, card_id, card_label)
       values ('usr-!', 'usr-!', 'stripe', true, 1, 1, 1, 'cus', 'card', 'Card')`,
    );
    await payments[0].automatic.run();
    expect(await balance()).toBe(29n);
  });

  test('ends at the month’s limit', async () => {
    for (const spent of [25n, 25n, 25n]) {
      await run();
      const reference = `spend-${userId}-${await balance()}-${spent}`;
      const correction = {
        accountId: userId,
        kind: 'reclaim',
        amountNanoUsd: spent * USD,
        note: '',
        reference,
      } as const;
      const { correct } = createCorrections(process.notices);
      await process.database.transaction((transaction) => correct(transaction, correction));
    }
    await run();
    expect(stripe.charges.size).toBe(2);
    expect(await read()).toMatchObject({ isEnabled: true, monthNanoUsd: 50n * USD });
  });

  test.each([
    ['declines', /Your card was declined/],
    ['asks its holder', /requires authentication/],
  ] as const)('stops when the card %s, and says so once', async (card, words) => {
    stripe.card = card;
    await run();
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([4n, 1]);
    expect(await read()).toMatchObject({ isEnabled: false, stoppedReason: expect.stringMatching(words) });
    expect(mails.map(({ text }) => text)).toEqual([expect.stringMatching(words)]);
    expect(
      await bed.rows("select kind from payment_events where order_id like 'ord%' and kind = 'failed'"),
    ).not.toEqual([]);
    stripe.card = 'pays';
    await payments[0].automatic.save({ accountId: userId, userId }, { isEnabled: true, ...SETTINGS });
    await run();
    expect(await balance()).toBe(29n);
  });

  test('stops when a payment went back, so that the card is not charged anew for it', async () => {
    await run();
    const [orderId = ''] = stripe.charges.keys();
    const refunded = { id: `ch_${orderId}`, object: 'charge', amount_refunded: 2_750, currency: 'usd' };
    const metadata = { tollgate_order_id: orderId };
    await tell('charge.refunded', { ...refunded, payment_intent: `pi_${orderId}`, metadata });
    expect(await balance()).toBe(4n);
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([4n, 1]);
    expect(await read()).toMatchObject({ isEnabled: false, stoppedReason: 'a payment was refunded or disputed' });
    expect(mails.map(({ text }) => text)).toEqual([expect.stringMatching(/Nothing more is bought automatically/)]);
    await payments[0].automatic.save({ accountId: userId, userId }, { isEnabled: true, ...SETTINGS });
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([29n, 2]);
  });

  test('goes on when a part of a payment went back and the balance is not low', async () => {
    await run();
    const [orderId = ''] = stripe.charges.keys();
    const refunded = { id: `ch_${orderId}`, object: 'charge', amount_refunded: 1_100, currency: 'usd' };
    const metadata = { tollgate_order_id: orderId };
    await tell('charge.refunded', { ...refunded, payment_intent: `pi_${orderId}`, metadata });
    await run();
    expect([await balance(), stripe.charges.size, (await read())?.isEnabled]).toEqual([19n, 1, true]);
  });

  test('charges once although the answer was lost, and learns of it by asking again', async () => {
    stripe.card = 'pays, and the answer is lost';
    await run();
    await run();
    expect([await balance(), await orders()]).toEqual([4n, [{ state: 'created', tries: 1 }]]);
    stripe.card = 'pays';
    await wait(60);
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([29n, 1]);
  });

  test('gives up after five tries, and credits what is heard of later', async () => {
    stripe.card = 'pays, and the answer is lost';
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await run();
      await wait(3_600);
    }
    expect(await orders()).toEqual([{ state: 'expired', tries: 5 }]);
    expect(await read()).toMatchObject({ isEnabled: false, stoppedReason: 'the payment provider did not answer' });
    const [orderId = ''] = stripe.charges.keys();
    await tell('payment_intent.succeeded', intentObject({ orderId, amount: 2_750, currency: 'usd' }));
    expect([await balance(), stripe.charges.size]).toEqual([29n, 1]);
  });

  test('is not tried again after a day, when the provider has forgotten that the card was charged', async () => {
    stripe.card = 'pays, and the answer is lost';
    await run();
    const [orderId = ''] = stripe.charges.keys();
    stripe.charges.clear();
    stripe.card = 'pays';
    await bed.rows("update top_up_orders set created_at = created_at - interval '1 day' where id = $1", [orderId]);
    await wait(86_400);
    await run();
    expect([await balance(), stripe.charges.size, await orders()]).toMatchObject([4n, 0, [{ state: 'expired' }]]);
    expect(await read()).toMatchObject({ isEnabled: false, stoppedReason: 'the payment provider did not answer' });
    await tell('payment_intent.succeeded', intentObject({ orderId, amount: 2_750, currency: 'usd' }));
    expect(await balance()).toBe(29n);
  });

  test('waits for the word of a bank that is slow', async () => {
    stripe.card = 'is slow';
    await run();
    await wait(3_600);
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([4n, 1]);
    const [orderId = ''] = stripe.charges.keys();
    await tell('payment_intent.succeeded', intentObject({ orderId, amount: 2_750, currency: 'usd' }));
    expect(await balance()).toBe(29n);
  });

  test('stops when the bank that was slow says no, however often it says so', async () => {
    stripe.card = 'is slow';
    await run();
    const [orderId = ''] = stripe.charges.keys();
    const failed = intentObject({ orderId, amount: 2_750, currency: 'usd' }, 'requires_payment_method');
    await Promise.all([0, 1, 2].map(() => tell('payment_intent.payment_failed', failed)));
    expect(await orders()).toMatchObject([{ state: 'expired' }]);
    expect(await read()).toMatchObject({ isEnabled: false, stoppedReason: expect.stringMatching(/bank/) });
    expect(mails.map(({ text }) => text)).toEqual([expect.stringMatching(/the bank did not carry out the payment/)]);
    stripe.card = 'pays';
    await payments[0].automatic.save({ accountId: userId, userId }, { isEnabled: true, ...SETTINGS });
    // The notification of an order that ended before ends nothing more.
    await tell('payment_intent.payment_failed', failed);
    await run();
    expect([await balance(), (await read())?.isEnabled]).toEqual([29n, true]);
  });

  test('is not done with a card that was forgotten, nor for an account that its holder left', async () => {
    mayPay = false;
    await run();
    expect([stripe.charges.size, (await read())?.stoppedReason]).toEqual([
      0,
      expect.stringMatching(/may no longer buy/),
    ]);
    mayPay = true;
    await payments[0].automatic.save({ accountId: userId, userId }, { isEnabled: true, ...SETTINGS });
    await payments[0].automatic.forgetCard(userId);
    expect(stripe.detached).toHaveLength(1);
    await run();
    expect(stripe.charges.size).toBe(0);
  });

  test('is not done for an account that pays monthly, although it was set up before', async () => {
    await bed.rows("update accounts set kind = 'monthly' where id = $1", [userId]);
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([4n, 0]);
    await bed.rows("update accounts set kind = 'prepaid' where id = $1", [userId]);
    await run();
    expect([await balance(), stripe.charges.size]).toEqual([29n, 1]);
  });

  test('a card that nobody asked for, and a payment of another amount, change nothing', async () => {
    await tell('checkout.session.completed', setupObject('crd-unknown'));
    stripe.card = 'is slow';
    await run();
    const [orderId = ''] = stripe.charges.keys();
    await tell('payment_intent.succeeded', intentObject({ orderId, amount: 1, currency: 'usd' }));
    expect(await balance()).toBe(4n);
    // What arrived counts, not what was asked for.
    const asked = intentObject({ orderId, amount: 2_750, currency: 'usd' });
    await tell('payment_intent.succeeded', { ...asked, amount_received: 1 });
    expect(await balance()).toBe(4n);
    await tell('payment_intent.succeeded', asked);
    expect(await balance()).toBe(29n);
  });

  test('a card that was asked for at another provider is not taken', async () => {
    const owner = { accountId: userId, userId };
    const before = (await read())?.cardId;
    const page = await payments[0].automatic.openCardPage(owner, 'https://site.test/');
    await bed.rows("update automatic_top_ups set provider = 'other' where account_id = $1", [userId]);
    await tell('checkout.session.completed', setupObject(page.split('/').at(-1) ?? ''));
    expect((await read())?.cardId).toBe(before);
    await bed.rows("update automatic_top_ups set provider = 'stripe' where account_id = $1", [userId]);
    await tell('checkout.session.completed', setupObject(page.split('/').at(-1) ?? ''));
    expect((await read())?.cardId).not.toBe(before);
  });
});

describe('over HTTP', () => {
  /** Looks for low balances several times a second. */
  const hasty: Clock = { ...systemClock, every: (ms, work) => systemClock.every(Math.min(ms, 250), work) };
  let bed: PaymentsHarness;
  let ann: Person;
  let headers: Record<string, string>;
  beforeAll(async () => {
    bed = await startPaymentsHarness({ start: { clock: hasty } });
    ann = await customer(bed.harness, 'ann');
    headers = await signIn(bed.harness, ann.email, PASSWORD);
  });
  afterAll(() => bed.close());

  const body = { isEnabled: true, thresholdUsd: '90.5', amountUsd: 25, monthMaxUsd: 100 };

  test('a person says when to buy what, gives a card, spends, and has credit', async () => {
    const ask = (method: string, path: string, sent?: Json) =>
      bed.harness.request(method, `/api/account/auto-topup${path}`, { headers, ...(sent && { body: sent }) });
    expect((await ask('POST', '/card')).status).toBe(409);
    expect((await ask('PUT', '', body)).body).toMatchObject({ card: null, settings: { totalUsd: 27.5 }, monthUsd: 0 });
    const { url } = (await ask('POST', '/card')).body;
    expect(
      (await bed.notify(eventText('checkout.session.completed', setupObject(String(url).split('/').at(-1) ?? ''))))
        .status,
    ).toBe(200);
    expect((await ask('GET', '')).body).toMatchObject({ card: 'visa 4242', stopped: null });
    await bed.harness.operate('POST', `/admin/v1/users/${ann.userId}/adjustments`, {
      amountUsd: '-10',
      reason: 'spent',
    });
    await expect.poll(async () => (await ask('GET', '')).body.monthUsd).toBe(25);
    const list = () => bed.harness.request('GET', '/api/account/topups', { headers });
    await expect
      .poll(async () => ((await list()).body.data as Json[])[0])
      .toMatchObject({ state: 'paid', automatic: true, creditUsd: 25 });
    expect((await ask('DELETE', '/card')).body).toMatchObject({ card: null, settings: { isEnabled: false } });
  });

  test('nothing is bought for an organization that is suspended', async () => {
    const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ann.userId });
    const ask = (method: string, path: string, sent?: Json) =>
      bed.harness.request(method, `/api/account/auto-topup${path}?orgId=${org.id}`, {
        headers,
        ...(sent && { body: sent }),
      });
    await ask('PUT', '', { ...body, isEnabled: false });
    const { url } = (await ask('POST', '/card')).body;
    await bed.notify(eventText('checkout.session.completed', setupObject(String(url).split('/').at(-1) ?? '')));
    expect((await ask('PUT', '', { ...body, isEnabled: false })).body).toMatchObject({ card: 'visa 4242' });
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { suspended: true });
    const client = new Client({ connectionString: bed.harness.databaseUrl });
    await client.connect();
    await client.query('update automatic_top_ups set is_enabled = true where account_id = $1', [org.id]);
    const ended = "select state from top_up_orders where account_id = $1 and state in ('paid', 'expired')";
    await expect.poll(async () => (await client.query(ended, [org.id])).rows).not.toEqual([]);
    expect((await client.query(ended, [org.id])).rows).toEqual([{ state: 'expired' }]);
    await client.end();
    expect(await bed.harness.operate('GET', `/admin/v1/orgs/${org.id}`)).toMatchObject({ balanceUsd: 0 });
  });

  test.each([
    ['amountUsd', { amountUsd: 4 }],
    ['amountUsd', { amountUsd: 25.001 }],
    ['thresholdUsd', { thresholdUsd: 0 }],
    ['thresholdUsd', { thresholdUsd: 10_001 }],
    ['monthMaxUsd', { monthMaxUsd: 24 }],
    ['monthMaxUsd', { monthMaxUsd: 100_001 }],
  ])('a %s that is none is refused: %j', async (field, change) => {
    const path = '/api/account/auto-topup';
    const answer = await bed.harness.request('PUT', path, { headers, body: { ...body, ...change } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)]);
  });
});
