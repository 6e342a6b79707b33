// The operator's pages, in one visit with the token, which every reload forgets: the tests go from page to page by
// links, in order. Then an operator by name, whose session stays after a reload.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { archivedCopy } from './archived-call.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

const MODEL = 'openai/priced';
const UNPRICED = 'openai/without-price';
const STALLED = 'openai/stalled';

let bed: ConsoleBed;
let page: Page;
let account: { userId: string; key: string };

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({
    models: {
      [MODEL]: { commands: 'tokens-1000-50' },
      [UNPRICED]: { entry: { pricing: undefined } },
      [STALLED]: {
        commands: 'stall-before-finish',
        entry: { pricing: { prompt: '1', completion: '2', request: '3' } },
      },
    },
  });
  account = await bed.harness.account(10);
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const open = async (link: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
};

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

/** Reads the beginning of a stream that costs three dollars, and leaves. */
async function leaveStream(key: string): Promise<void> {
  const control = new AbortController();
  const response = await fetch(`${bed.harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: STALLED,
      stream: true,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
    signal: control.signal,
  });
  await response.body?.getReader().read();
  control.abort();
}

const costOfCall = async (): Promise<number> => {
  const { status, body } = await bed.chat(account.key, MODEL);
  expect(status, JSON.stringify(body)).toBe(200);
  return Number((body.usage as Json).cost);
};

describe.skipIf(!hasChromium)('the operator in the console', { timeout: TEST_TIMEOUT_MS }, () => {
  test('another token is refused, the right one opens the pages', async () => {
    await page.goto('/console/operator');
    await page.getByLabel('Operator token').fill('not-the-token');
    await button('Enter').click();
    await page.getByRole('alert').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter').click();
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
  });

  test('the state of every route is shown', async () => {
    await page.getByRole('row', { name: /sim sim-tokens-1000-50 untried/ }).waitFor();
  });

  test('a user is made and found, gets credit and is suspended', async () => {
    await open('Users');
    await button('New user').click();
    await page.getByRole('dialog').getByLabel('Email').fill('zoe@example.test');
    await page.getByRole('dialog').getByLabel('Name').fill('Zoe');
    await button('Create the user').click();
    await page.getByRole('heading', { level: 1, name: 'Zoe' }).waitFor();
    await button('Give credit').click();
    await page.getByLabel('Amount, USD').fill('12.5');
    await page.getByLabel('Note').fill('welcome');
    await button('Give the credit').click();
    await page.getByText('$12.50').first().waitFor();

    await open('Users');
    await page.getByLabel('Name, email, id or key').fill(account.userId);
    await button('Search').click();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'Test', exact: true }).click();
    await button('Suspend').click();
    await button('Suspend', page.getByRole('dialog')).click();
    await button('Resume').waitFor();
    expect((await bed.chat(account.key, MODEL)).status).toBe(403);
    await button('Resume').click();
    await button('Suspend').waitFor();
    expect((await bed.chat(account.key, MODEL)).status).toBe(200);
  });

  test('an organization is founded and put on the monthly plan', async () => {
    await open('Organizations');
    await button('New organization').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme');
    await page.getByLabel('Owner’s user id').fill(account.userId);
    await button('Create it').click();
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await page.getByLabel('Plan', { exact: true }).selectOption('monthly');
    await page.getByLabel('Credit line, USD').fill('50');
    await button('Save').click();
    await page.getByText('Credit line $50.00').waitFor();
    await open('Organizations');
    await page.getByRole('link', { name: 'Acme' }).waitFor();
  });

  test('a price is changed after a look at the difference, and the next call costs it', async () => {
    expect(await costOfCall()).toBe(0.0011);
    await open('Catalog');
    await page.getByRole('switch', { name: 'Only models without a price (1)' }).click();
    await expect.poll(() => page.getByRole('row', { name: /openai/ }).count()).toBe(1);
    await page.getByRole('row', { name: `${UNPRICED} no price` }).waitFor();
    await page.getByRole('switch', { name: 'Only models without a price (1)' }).click();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button(`Edit ${MODEL}`).click();
    await page.getByLabel('In, USD per 1M tokens').fill('3');
    await button('Review the change').click();
    await page.getByRole('list', { name: 'Prices that change' }).getByText('$1 → $3 +200 %').waitFor();
    const difference = page.getByRole('region', { name: 'The difference' });
    await difference.getByText('-         "prompt": "1",').waitFor();
    await difference.getByText('+         "prompt": "3",').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Apply').click();
    await page.getByRole('row', { name: new RegExp(`${MODEL} \\$3 \\$2`) }).waitFor();
    // The list shows an edit before it is applied, too.
    await expect.poll(costOfCall).toBe(0.0031);
  });

  test('a document with mistakes is refused with each of them, and nothing changes', async () => {
    await page.getByRole('tab', { name: 'Whole document' }).click();
    const editor = page.getByLabel('Config document');
    const before = await editor.inputValue();
    await editor.fill('{ "models": ');
    await page.getByText(/This is not JSON/).waitFor();
    expect(await button('Review the change').isDisabled()).toBe(true);
    await editor.fill(
      before.replace('"prompt": "3"', '"prompt": "three"').replace('"context_length": 128000', '"context_length": 0'),
    );
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Review the change').click();
    await button('Apply').click();
    const problems = page.getByRole('dialog').getByRole('alert').getByRole('listitem');
    await expect.poll(() => problems.count()).toBe(2);
    await button('Back').click();
    expect(await costOfCall()).toBe(0.0031);
    await open('Auto router');
    await open('Catalog');
    await page.getByRole('tab', { name: 'Whole document' }).click();
    expect(await editor.inputValue()).toContain('"three"');
    await button('Discard them').click();
    expect(await editor.inputValue()).toBe(before);
  });

  test('settings, rules, providers and models have forms, and the document is YAML too', async () => {
    const tab = (name: string) => page.getByRole('tab', { name }).click();
    const apply = async (): Promise<void> => {
      await button('Review the change').click();
      await button('Apply').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await tab('Settings');
    await page.getByLabel('Paid requests per minute').fill('4321');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await apply();
    await tab('Markups');
    await button('Add a markup').click();
    await page.getByLabel('For a model, vendor/* or *').fill('*');
    await page.getByLabel('Percent').fill('100');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await apply();
    expect(await costOfCall()).toBe(0.0062);
    await button('Edit *').click();
    await button('Remove it').click();
    await button('Apply').click();
    await page.getByText('There are none.').waitFor();
    await tab('Providers');
    await button('Edit sim').click();
    await page.getByLabel('Data collection').selectOption('deny');
    await page.getByText('Timeouts').click();
    await page.getByLabel('Connect seconds').fill('9');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await apply();
    await tab('Models');
    await button(`Edit ${MODEL}`).click();
    await page.getByText('Pricing tiers').click();
    await button('Add', page.getByRole('dialog')).click();
    await page.getByLabel('For prompts longer than, tokens').fill('200000');
    await page.getByLabel('In, USD per token').fill('0.000006');
    await page.getByLabel('Out, USD per token').fill('0.000004');
    await apply();
    await tab('Whole document');
    await page.getByText('YAML', { exact: true }).click();
    const text = await page.getByLabel('Config document').inputValue();
    for (const part of ['paid_requests_per_minute: 4321', 'data_collection: deny', 'connect_seconds: 9']) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/above_prompt_tokens: 200000\n +prompt: "0.000006"/);
    await page.getByLabel('Config document').fill(text.replace('4321', '1234'));
    await apply();
    const live = await bed.harness.operate('GET', '/admin/v1/config');
    expect(live.limits).toMatchObject({ paid_requests_per_minute: 1234 });
    expect(await bed.harness.operate('PUT', '/admin/v1/config', live)).toMatchObject({ changes: [] });
  });

  test('the models of a tier are ordered by keyboard and by dragging, and the tier is switched off', async () => {
    const tier = (): Promise<Json> => bed.harness.operate('GET', '/admin/v1/auto-router/paid/simple');
    await open('Auto router');
    for (const model of [MODEL, 'openai/test']) {
      await page.getByLabel('Model to add to Simple').fill(model);
      await page.getByLabel('Model to add to Simple').press('Enter');
      await page.getByRole('listitem').filter({ hasText: model }).waitFor();
    }
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Move openai/test up').focus();
    await page.keyboard.press('Enter');
    await expect.poll(tier).toMatchObject({ enabled: true, models: ['openai/test', MODEL] });
    const entry = (model: string): Locator => page.getByRole('listitem').filter({ hasText: model });
    await entry(MODEL).dragTo(entry('openai/test'));
    await expect.poll(tier).toMatchObject({ models: [MODEL, 'openai/test'] });
    await page.getByRole('switch', { name: 'Simple is on' }).click();
    await expect.poll(tier).toMatchObject({ enabled: false });
  });

  test('the brake at zero stops every call, after a question', async () => {
    await open('Brake');
    const isOn = page.getByRole('switch', { name: 'The brake is on' });
    if ((await isOn.getAttribute('aria-checked')) !== 'true') await isOn.click();
    await page.getByLabel('At most in a minute, USD').fill('0');
    await button('Set the brake').click();
    await button('Stop every call').click();
    await page.getByText('Every call of everybody is refused now.').waitFor();
    expect((await bed.chat(account.key, MODEL)).status).toBeGreaterThanOrEqual(400);
    await isOn.click();
    await page.getByLabel('At most in a minute, USD').fill('');
    await button('Set the brake').click();
    await expect.poll(async () => (await bed.chat(account.key, MODEL)).status).toBe(200);
  });

  test('the books are checked, and a call is explained', async () => {
    await open('Ledger');
    await button('Check the ledger').click();
    await page.getByText('The books balance.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    const { body } = await bed.chat(account.key, MODEL);
    await open('Explain');
    await page.getByLabel('Generation id').fill(String(body.id));
    await button('Search').click();
    await page.getByText('How the price makes the cost').waitFor();
    await page.getByText('$0.0031').first().waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a call whose charge is archived says where its charge is, and is not refunded', async () => {
    const { body } = await bed.chat(account.key, MODEL);
    const id = await archivedCopy(bed.harness.databaseUrl, String(body.id));
    await open('Ledger');
    await open('Explain');
    await page.getByLabel('Generation id').fill(id);
    await button('Search').click();
    await page.getByText('The charge and its price are in the archive of 2020-01').waitFor();
    await page.getByText('The charge is not here any more').waitFor();
    expect(await button('Refund').count()).toBe(0);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a feed is added and tested, and says how that went', async () => {
    await open('Feeds');
    await button('New feed').first().click();
    const dialog = page.getByRole('dialog', { name: 'New feed' });
    await dialog.getByLabel('Name').fill('Every call');
    await dialog.getByLabel('Goes to').selectOption('file');
    await button('Add the feed', dialog).click();
    await dialog.waitFor({ state: 'hidden' });
    bed.town.clock.stop();
    await button('Test Every call').click();
    await page.getByRole('status').filter({ hasText: 'The receiver has accepted the test.' }).waitFor();
    await button('Test Every call').click();
    await page.getByText('This feed was tested a moment ago.').waitFor();
    bed.town.clock.goOn();
    await button('Delete Every call').click();
    await button('Cancel', page.getByRole('dialog')).click();
    await button('Delete Every call').click();
    await button('Delete the feed', page.getByRole('dialog')).click();
    await page.getByText('Nothing is sent yet').waitFor();
  });

  test('whoever left a dear call is restricted, reads so, and is let in again', async () => {
    const bob = await bed.person('Bob');
    const made = await bed.harness.operate('POST', `/admin/v1/users/${bob.userId}/keys`, { name: 'k' });
    await leaveStream(String(made.key));
    // Before the call has ended, others may be refused only because it is still under way.
    const found = async (path: string): Promise<string> => JSON.stringify(await bed.harness.operate('GET', path));
    await expect.poll(() => found('/admin/v1/exposures')).toContain('"restricted":true');
    await expect.poll(() => found('/admin/v1/absorbed')).toContain(bob.userId);
    expect((await bed.chat(String(made.key), MODEL)).status).toBe(429);
    const his = await bed.openPage();
    await bed.signIn(his, bob, '/console/credits');
    await his.getByText(/^Your calls are refused until /).waitFor();
    expect(await checkPage(his)).toEqual(NO_PROBLEMS);
    await open('Ledger');
    const row = page.getByRole('row', { name: new RegExp(`${bob.userId} restricted`) });
    await row.waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Allow more', row).click();
    await page.getByLabel('Added to the allowance, USD').fill('5');
    await untilTold(page, 'The allowance is changed.', () => button('Set it').click());
    await untilTold(page, 'The restriction is lifted.', () => button('Lift', row).click());
    await page.getByText(`abandoned $3.00 on ${STALLED}`).waitFor();
    expect((await bed.chat(String(made.key), MODEL)).status).toBe(200);
  });

  test('a person is made an operator, and their role is changed', async () => {
    const rita = await bed.person('Rita');
    await open('Operators');
    await page.getByText('Nobody yet').waitFor();
    await button('Appoint').click();
    await page.getByRole('dialog').getByLabel('Email').fill(rita.address);
    await page.getByRole('dialog').getByLabel('Role').selectOption('owner');
    await button('Appoint', page.getByRole('dialog')).click();
    await page.getByRole('row', { name: /Rita/ }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);

    const hers = await bed.openPage();
    await bed.signIn(hers, rita);
    await hers.getByRole('link', { name: 'Operator' }).click();
    await hers.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
    await hers.reload();
    await hers.getByRole('heading', { level: 1, name: 'Health' }).waitFor();
    await hers.goto('/console/operator/users');
    await hers.getByRole('row', { name: /Zoe/ }).waitFor();

    await untilTold(page, 'The role is changed.', () => page.getByLabel('Role of Rita').selectOption('read_only'));
    await hers.goto('/console/operator/brake');
    await hers.getByText('Read only').waitFor();
    await hers.getByText('You may look at everything here and change nothing.').waitFor();

    await open('Audit log');
    await page.getByLabel('Who').selectOption({ label: 'Rita' });
    await page.getByRole('row', { name: new RegExp(`${rita.address} GET /admin/v1/users`) }).waitFor();
    await page.getByRole('switch', { name: 'Only changes' }).click();
    await page.getByText('There are no entries.').waitFor();

    await open('Operators');
    await button('Dismiss Rita').click();
    await button('Dismiss', page.getByRole('dialog')).click();
    await page.getByText('Nobody yet').waitFor();
    await hers.reload();
    await hers.getByText('Your account is not an operator’s.').waitFor();
    expect(await checkPage(hers)).toEqual(NO_PROBLEMS);
  });

  test('leaving forgets the token, and nothing of it was kept in the browser', async () => {
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
    expect(kept).not.toContain(ADMIN_TOKEN);
    await button('Leave').click();
    await page.getByLabel('Operator token').waitFor();
    expect(await page.getByLabel('Operator token').inputValue()).toBe('');
  });

  test('whoever has entered once finds the way from their own pages, and nobody else is shown it', async () => {
    const ann = await bed.person('Ann');
    await bed.signIn(page, ann);
    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByLabel('Operator token').waitFor();
    const another = await bed.openPage();
    await bed.signIn(another, ann);
    expect(await another.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    expect(bed.unpublishedCalls()).toEqual([]);
  });
});
