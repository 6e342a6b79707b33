// One person's use of the console: signing up, buying credit, a key, calls, a limit and a breaker that stop them. All
// tests of this file share one gateway and browser, and run in order.

import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventText, FakeStripe, sessionObject, setupObject } from '../payments/fake-stripe.ts';
import { PASSWORD } from '../signin/people.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, layoutShift, NO_PROBLEMS, scriptBytes } from './page-checks.ts';

const FIRST_LOAD_BYTES_MAX = 130_000;
const LAYOUT_SHIFT_MAX = 0.1;
const LONGEST_NAME = 200;

/** 1000 tokens at $1 and 50 at $2 per million: $0.0011 a call. */
const PRICED = 'openai/priced';
/** $0.022 a call. */
const DEAR = 'openai/dear';

const MODELS = {
  [PRICED]: { commands: 'tokens-1000-50' },
  [DEAR]: { commands: 'tokens-1000-50', entry: { pricing: { prompt: '20', completion: '40' } } },
  'openai/draws': { entry: { output_modalities: ['image'], pricing: { image: '0.04' } } },
  'openai/speaks': { entry: { output_modalities: ['speech'], pricing: { character: '0.0001' } } },
};

let bed: ConsoleBed;
let stripe: FakeStripe;
let page: Page;
let ann: Person;
let secret = '';

beforeAll(async () => {
  if (!hasChromium) return;
  stripe = await FakeStripe.start();
  bed = await openConsole({ models: MODELS, env: { ...stripe.env, TOLLGATE_TOPUP_CURRENCIES: 'eur=0.92' } });
  ann = { userId: '', address: bed.town.newAddress(), password: PASSWORD };
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await bed?.close();
  await stripe?.close();
}, TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const open = async (link: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
};

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

/** How long the answers in the playground took, in the order of their columns. */
const facts = (): Locator => page.locator('dl', { hasText: 'In all' });

/** The part of a table that lies beyond the edge of its region. */
const beyondEdgePx = (name: string): Promise<number> =>
  page.getByRole('region', { name }).evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);

async function ask(model: string): Promise<void> {
  await page.getByLabel('Model 1', { exact: true }).selectOption(model);
  await page.getByLabel('Prompt').fill('Say hello.');
  await button('Run').click();
}

describe.skipIf(!hasChromium)('a person in the console', { timeout: TEST_TIMEOUT_MS }, () => {
  test('an account is opened, and counts once the link in the mail was followed', async () => {
    await page.goto('/console/');
    await button('Sign in').waitFor();
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Ann');
    await page.getByLabel('Email').fill(ann.address);
    await button('Create account').click();
    await page.getByText(`A mail is on its way to ${ann.address}.`).waitFor();

    await page.goto('/console/sign-in');
    await page.getByLabel('Email').fill(ann.address);
    await page.getByLabel('Password').fill(ann.password);
    await button('Sign in').click();
    await page.getByRole('alert').waitFor();

    await page.goto(await bed.mailedPath(ann.address));
    await page.getByLabel('Password').fill(ann.password);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Confirm my address').click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('the first load is small, still and without barriers', async () => {
    await page.goto('/console/');
    await page.getByRole('tab', { name: 'Claude Code' }).waitFor();
    await page.getByText('$0.00').first().waitFor();
    expect(await scriptBytes(page)).toBeGreaterThan(50_000);
    expect(await scriptBytes(page)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('credit is bought: the price first, then the payment, its confirmation and a receipt', async () => {
    await page.route('https://checkout.test/**', (route) => route.fulfill({ body: 'Pay here.' }));
    // On the first page the words about missing money have a link to the page for paying, one click away.
    await page.getByRole('status').getByRole('link', { name: 'Buy credit' }).click();
    await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor();
    await page.getByLabel('Credit, USD').fill('40');
    await page.getByLabel('Pay in').selectOption('eur');
    const price = page.locator('dl[aria-label=Price]');
    // A tenth of fee and VAT, at 0.92 for a dollar.
    await price.getByText('€42.32', { exact: true }).waitFor();
    expect(await price.textContent()).toMatch(/Credit\$40\.00.*fee.*\$4\.00.*VAT.*\$2\.00Total\$46\.00/);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Go to the payment').click();
    await page.waitForURL('https://checkout.test/**');

    const ordered = stripe.requests.at(-1)?.fields;
    const back = new URL(ordered?.get('success_url') ?? '');
    await page.goto(back.pathname + back.search);
    await page.getByText('Waiting for the confirmation of your payment').waitFor();
    expect(await balanceShown()).toBe('$0.00');

    const session = stripe.session(ordered?.get('metadata[tollgate_order_id]') ?? '');
    expect(session).toMatchObject({ amount: 4232, currency: 'eur' });
    const payload = eventText('checkout.session.completed', sessionObject(session));
    const forged = await notify(payload, stripe.sign(payload, { secret: 'whsec_of_somebody_else' }));
    expect(forged).toBeGreaterThanOrEqual(400);
    expect(await notify(payload, stripe.sign(payload))).toBe(200);
    await page.getByText('Thank you: $40.00 were added.').waitFor();
    await expect.poll(balanceShown).toBe('$40.00');
    const [receipt] = await Promise.all([page.waitForEvent('download'), button('Receipt').click()]);
    expect(await readFile(await receipt.path(), 'utf8')).toContain('42.32');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a card is given that buys credit when the balance runs low, and is forgotten again', async () => {
    await page.getByLabel('When the balance is below, USD').fill('5');
    await page.getByRole('switch', { name: 'Buy automatically' }).click();
    await button('Save').click();
    await button('Add a card').click();
    await page.waitForURL('https://checkout.test/**');
    const setupId = stripe.requests.at(-1)?.fields.get('metadata[tollgate_setup_id]') ?? '';
    await page.goto('/console/credits?card=given');
    const payload = eventText('checkout.session.completed', setupObject(setupId));
    expect(await notify(payload, stripe.sign(payload))).toBe(200);
    await page.getByText('visa 4242').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Remove the card').click();
    await page.getByRole('switch', { name: 'Buy automatically', checked: false }).waitFor();
  });

  const notify = async (payload: string, signature: string): Promise<number> =>
    (
      await bed.harness.request('POST', '/webhooks/stripe', {
        body: payload,
        headers: { 'Stripe-Signature': signature },
      })
    ).status;

  const balanceShown = (): Promise<string | null> =>
    page.getByText('Balance', { exact: true }).locator('xpath=following-sibling::p[1]').textContent();

  test('a key is made, its secret is shown once and works, and a program can do the same', async () => {
    await open('Keys');
    await button('New key').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    const [made] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/account/keys')),
      button('Create key', dialog).click(),
    ]);
    secret = (await dialog.getByLabel('The secret of the new key').textContent()) ?? '';
    await button('I have copied it', dialog).click();
    await page.getByRole('row', { name: /laptop/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect((await bed.chat(secret, PRICED)).status).toBe(200);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);

    const cookies = await page.context().cookies();
    const headers = {
      Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      Origin: bed.harness.url,
    };
    const body = { ...made.postDataJSON(), name: 'm'.repeat(LONGEST_NAME) };
    expect((await bed.harness.request('POST', '/api/account/keys', { headers, body })).status).toBe(201);
  });

  test('without a connection a switch stays as it is, a page that is missing says so, and what was typed is kept', async () => {
    await open('Playground');
    await page.getByLabel('Prompt').fill('Half a thought');
    await page.context().setOffline(true);
    await button('Run').click();
    await page.getByText('The gateway cannot be reached.').first().waitFor();
    expect(await page.getByLabel('Prompt').inputValue()).toBe('Half a thought');
    await page.context().setOffline(false);

    await open('Keys');
    await page.getByRole('row', { name: /laptop/ }).waitFor();
    expect(await beyondEdgePx('Keys'), 'the figures beside the longest name are in sight').toBe(0);
    await page.context().setOffline(true);
    await page.getByRole('switch', { name: 'Key laptop is on' }).click();
    await page.getByText('Parts of this page could not be loaded').waitFor();
    expect(await page.getByRole('switch', { name: 'Key laptop is on' }).isChecked()).toBe(true);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);

    await page.getByRole('link', { name: 'Notices' }).click();
    await page.getByRole('alert').getByText('The gateway cannot be reached.').waitFor();
    await page.context().setOffline(false);
    // The page returns by itself; a quick reader presses the button.
    await page.getByRole('heading', { level: 1, name: 'Notices' }).or(button('Try again')).first().click();
    await page.getByRole('heading', { level: 1, name: 'Notices' }).waitFor();
    expect((await bed.chat(secret, PRICED)).status).toBe(200);
  });

  test('a model is found by what it costs, and its page shows who serves it', async () => {
    await open('Models');
    await page.getByLabel('Makes').selectOption('text');
    await page.getByLabel('Search').fill('priced');
    await page.getByText('1 of 5 models').waitFor();
    await page.getByLabel('Input per 1M').selectOption('0.5');
    await page.getByText('No model matches').waitFor();
    await page.getByLabel('Input per 1M').selectOption('2');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByRole('link', { name: PRICED }).click();
    await page.getByRole('row', { name: /^sim healthy [\d.]+ m?s/ }).waitFor();
  });

  test('a model answers in the playground, with what the answer cost', async () => {
    await open('Playground');
    await ask(PRICED);
    await facts().getByText('$0.0011', { exact: true }).waitFor();
    await facts().getByText('1,000 in, 50 out').waitFor();
    await facts().getByText('sim', { exact: true }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);

    // The second question goes on from the first, a reload finds both again, and so does a link.
    await page.getByLabel('Prompt').fill('And **again**?');
    await page.getByLabel('Prompt').press('Control+Enter');
    await expect.poll(() => facts().count()).toBe(2);
    await expect.poll(() => page.getByLabel('Prompt').inputValue()).toBe('');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy a link').click();
    await page.getByText('The link is copied.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.reload();
    await page.getByText('Earlier conversations').click();
    await page.getByRole('button', { name: 'Say hello.', exact: true }).click();
    await page.getByText('And **again**?', { exact: true }).waitFor();
    await button('New conversation').click();
    await page.goto(link);
    await page.getByText('This conversation came with a link.').waitFor();
    await page.getByText('And **again**?', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByText('Functions and the form of the answer').click();
    await page.getByLabel('The answer follows this JSON schema').fill('{"type": ');
    await page.getByText('A schema is a JSON object').waitFor();
    await button('Offer a function').click();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('New conversation').click();
    await page.getByLabel('The answer follows this JSON schema').fill('');
    await button('Remove it').click();
    await ask(PRICED);
    await facts().getByRole('link', { name: 'See the record' }).click();
    await page.getByText('$0.0011').first().waitFor();
    await page.getByRole('row', { name: /^sim answered 200/ }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a text, a picture and speech come side by side', async () => {
    await open('Playground');
    await button('Compare with another').click();
    await button('Compare with another').click();
    await page.getByLabel('Model 2', { exact: true }).selectOption('openai/draws');
    await page.getByLabel('Model 3', { exact: true }).selectOption('openai/speaks');
    await ask(PRICED);
    await expect.poll(() => facts().count()).toBe(3);
    await facts().nth(1).getByText('$0.04', { exact: true }).waitFor();
    await facts().nth(2).getByText('$0.001', { exact: true }).waitFor();
    const picture = page.getByRole('img', { name: 'Answer 1' });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const sound = page.getByLabel('The spoken answer');
    await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(0);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('KEY-16 a limit that is set on a key stops its calls, and the page shows it used up', async () => {
    await open('Keys');
    await button('Edit laptop').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Spend limit, USD').fill('0.0015');
    await button('Save', dialog).click();
    await page.getByText(/of \$0\.0015/).waitFor();
    const calls = [];
    for (let call = 0; call < 4 && calls.at(-1)?.status !== 402; call++) calls.push(await bed.chat(secret, PRICED));
    expect(calls.at(-1)?.body).toMatchObject({ error: { code: 'spend_limit_exceeded' } });
    const meter = page.getByRole('meter', { name: 'Spent of the limit of laptop' });
    await expect.poll(() => meter.getAttribute('value')).toBe('0.0015');
  });

  test('a breaker that is set in the settings lets one more call through and stops the next, in words', async () => {
    await bed.stayWithinHour(secret, PRICED);
    await open('Settings');
    const spent = Number(/\$([\d.]+) of/.exec((await page.getByText(/^This hour:/).textContent()) ?? '')?.[1]);
    await page.getByRole('switch', { name: 'Watch my spending' }).click();
    await page.getByLabel('At most in an hour, USD').fill((spent + 0.01).toFixed(4));
    await untilTold(page, 'The breaker is on.', () => button('Save the breaker').click());
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await open('Playground');
    await ask(DEAR);
    await facts().getByText('$0.0220', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await ask(DEAR);
    await page
      .getByRole('alert')
      .getByText(/breaker/i)
      .waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('the calls are listed by key, and what was used by model and by hour', async () => {
    await open('Generations');
    await page.getByLabel('Key').selectOption({ label: 'laptop' });
    await expect.poll(() => page.getByRole('row', { name: /Console playground/ }).count()).toBe(0);
    await page
      .getByRole('row', { name: /laptop/ })
      .first()
      .waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await open('Usage');
    await page.getByRole('row', { name: new RegExp(`^${DEAR} .*\\$0\\.0220`) }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByRole('tab', { name: 'By the hour' }).click();
    await page.getByRole('region', { name: 'Heat map' }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('nothing jumps on pages that are opened by their address', async () => {
    for (const path of ['models', 'playground', 'keys', 'usage', 'generations', 'batches', 'notices', 'settings']) {
      await page.goto(`/console/${path}`);
      await page.waitForLoadState('networkidle');
      expect(await layoutShift(page), path).toBeLessThan(LAYOUT_SHIFT_MAX);
    }
  });

  test('the key is deleted after a question, and refused from then on', async () => {
    await open('Keys');
    await button('Delete laptop').click();
    await button('Delete the key', page.getByRole('dialog')).click();
    await expect.poll(() => page.getByRole('row', { name: /laptop/ }).count()).toBe(0);
    expect((await bed.chat(secret, PRICED)).status).toBe(401);
  });

  test('an application asks for a key, gets what was agreed to, and loses it when the key is deleted', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    await page.route('https://app.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'Back.' }));
    const callback = encodeURIComponent('https://app.example/callback');
    await page.goto(`/auth?callback_url=${callback}&code_challenge=${challenge}&code_challenge_method=S256&limit=3`);
    await page.getByText('app.example', { exact: true }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    expect(await page.getByLabel('Spend limit, USD').inputValue()).toBe('3');
    await button('Give it a key').click();
    await page.waitForURL('https://app.example/**');
    const code = new URL(page.url()).searchParams.get('code');
    const { body } = await bed.town.harness.request('POST', '/v1/auth/keys', {
      body: { code, code_verifier: verifier },
    });
    const key = String(body.key);
    const statusOf = async () => (await bed.town.harness.request('GET', '/v1/key', { key })).status;
    expect(await statusOf()).toBe(200);
    await page.goto('/console/keys');
    await button('Delete Application: app.example').click();
    await button('Delete the key', page.getByRole('dialog')).click();
    await expect.poll(statusOf).toBe(401);
  });

  test('a breach of the content security policy would be seen', async () => {
    await page.evaluate(() => {
      const style = document.createElement('style');
      style.textContent = 'body { color: red }';
      document.head.append(style);
    });
    await expect.poll(() => bed.complaints.length).toBe(1);
    bed.complaints.length = 0;
  });

  test('the pages called nothing but what is published', () => {
    expect(bed.unpublishedCalls()).toEqual([]);
  });
});
