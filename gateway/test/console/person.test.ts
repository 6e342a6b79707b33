// One person's way through the console: signing in, a key, a call, a limit that stops it. The same gateway and browser
// serve all tests of this file, in order.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';
import { checkPage, layoutShift, NO_PROBLEMS, scriptBytes } from './page-checks.ts';

const FIRST_LOAD_BYTES_MAX = 250_000;
const LAYOUT_SHIFT_MAX = 0.1;

let bed: ConsoleBed;
let page: Page;
let ann: Person;
let secret = '';

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({
    models: { 'openai/priced': { commands: 'tokens-1000-50' }, 'openai/dear': { commands: 'tokens-20000-50' } },
  });
  ann = await bed.person('Ann');
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const open = async (link: string, heading = link): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
};

describe.skipIf(!hasChromium)('a person in the console', { timeout: TEST_TIMEOUT_MS }, () => {
  test('the first load is small, still and without barriers', async () => {
    await page.goto('/console/');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await bed.signIn(page, ann);
    await page.getByText('$10.00').first().waitFor();
    await page
      .getByRole('region', { name: /^Settings for/ })
      .first()
      .waitFor();
    expect(await scriptBytes(page)).toBeGreaterThan(50_000);
    expect(await scriptBytes(page)).toBeLessThan(FIRST_LOAD_BYTES_MAX);
    expect(await layoutShift(page)).toBeLessThan(LAYOUT_SHIFT_MAX);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a key is made, and its secret is shown once and works', async () => {
    await open('Keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    secret = (await dialog.getByLabel('The secret of the new key').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /laptop/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect((await bed.chat(secret, 'openai/priced')).status).toBe(200);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('a model answers in the playground, with what the answer cost', async () => {
    await open('Playground');
    await page.getByLabel('Model 1').selectOption('openai/priced');
    await page.getByLabel('Prompt').fill('Say hello.');
    await page.getByRole('button', { name: 'Run' }).click();
    const facts = page.locator('dl', { hasText: 'In all' });
    // 1000 tokens at $1 and 50 at $2 per million.
    await facts.getByText('$0.0011', { exact: true }).waitFor();
    await facts.getByText('1,000 in, 50 out').waitFor();
    await facts.getByText('sim', { exact: true }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await facts.getByRole('link', { name: 'See the record' }).click();
    await page.getByText('$0.0011').first().waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('KEY-16 a limit that is set on a key stops its calls, and the page shows it used up', async () => {
    await open('Keys');
    await page.getByRole('button', { name: 'Edit laptop' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Spend limit, USD').fill('0.0015');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/of \$0\.0015/).waitFor();
    const calls = [];
    for (let call = 0; call < 4 && calls.at(-1)?.status !== 402; call++)
      calls.push(await bed.chat(secret, 'openai/priced'));
    expect(calls.at(-1)?.body).toMatchObject({ error: { code: 'spend_limit_exceeded' } });
    const meter = page.getByRole('meter', { name: 'Spent of the limit of laptop' });
    await expect.poll(() => meter.getAttribute('value'), { timeout: 60_000 }).toBe('0.0015');
  });

  test('a breaker that is set in the settings stops the playground, in words', async () => {
    await open('Settings');
    await page.getByRole('switch', { name: 'Watch my spending' }).click();
    await page.getByLabel('At most in an hour, USD').fill('0.01');
    await page.getByRole('button', { name: 'Save the breaker' }).click();
    await page.getByText('The breaker is on.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await open('Playground');
    await page.getByLabel('Model 1').selectOption('openai/dear');
    await page.getByLabel('Prompt').fill('Say hello.');
    const alert = page.getByRole('alert');
    for (let call = 0; call < 3 && !(await alert.isVisible()); call++) {
      await page.getByRole('button', { name: 'Run' }).click();
      await alert
        .or(page.locator('dl', { hasText: 'In all' }))
        .first()
        .waitFor();
    }
    await alert.getByText(/breaker/i).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test.each(['Models', 'Usage', 'Generations', 'Credits'])('the page %s has no barriers', async (name) => {
    await open(name);
    await page.waitForLoadState('networkidle');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
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
});
