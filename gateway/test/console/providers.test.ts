// Connecting a vendor in the console, as an operator with nothing but a key would do it: fewer than ten clicks from the
// first page to an answer at the vendor's price, and one dialog to undo it.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { GOOD_KEY, type StandIn, startStandIn, USAGE } from '../providers/stand-ins.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

let bed: ConsoleBed;
let page: Page;
let vendor: StandIn;
let clicks = 0;

beforeAll(async () => {
  if (!hasChromium) return;
  vendor = await startStandIn('openai');
  bed = await openConsole({});
  page = await bed.openPage();
  await page.goto('/console/operator');
  await page.getByLabel('Operator token').fill(ADMIN_TOKEN);
  await page.getByRole('button', { name: 'Enter' }).click();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await bed?.close();
  await vendor?.close();
}, TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const click = async (target: Locator): Promise<void> => {
  clicks += 1;
  await target.click();
};
const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: typeof name === 'string' });
const navigation = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name, exact: true });

describe.skipIf(!hasChromium)('connecting a provider', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a wrong key is told in words', async () => {
    await navigation('Providers').click();
    await page.getByRole('link', { name: 'Connect a provider' }).click();
    await page.getByLabel('Find a vendor').fill('openai');
    await button('OpenAI').click();
    await page.getByLabel('API key').fill('sk-wrong');
    await page.getByText('Another address or name').click();
    await page.getByLabel('Base URL').fill(vendor.url);
    await button('Test and list models').click();
    await page.getByRole('alert').getByText('The vendor refused the key').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('fewer than ten clicks from the first page to an answer at the right price', async () => {
    await navigation('Catalog').click();
    clicks = 0;
    await click(navigation('Providers'));
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await click(page.getByRole('link', { name: 'Connect a provider' }));
    await click(button('OpenAI'));
    await page.getByLabel('API key').fill(GOOD_KEY);
    await click(page.getByText('Another address or name'));
    await page.getByLabel('Base URL').fill(vendor.url);
    await click(button('Test and list models'));
    await page.getByText('offers 4 models that can be used').waitFor();
    await page.getByText('3 of 4 chosen').waitFor();
    await page.getByRole('row', { name: /openai\/brand-new-model – – unknown/ }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await click(button('Test one and review'));
    await page.getByText('+ model openai/gpt-4o-mini').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await click(button('Apply'));
    await page.getByRole('row', { name: /^openai OpenAI .* stored 3/ }).waitFor();
    expect(clicks).toBeLessThan(10);
    expect(await page.content()).not.toContain(GOOD_KEY);

    const { key } = await bed.harness.account();
    const answer = await bed.harness.chat(key, { model: 'openai/gpt-4o-mini' });
    const cost = (USAGE.prompt * 0.15 + USAGE.completion * 0.6) / 1_000_000;
    expect((answer.body.usage as Json).cost).toBeCloseTo(cost, 12);
  });

  test('its test is one click, and says what it found', async () => {
    await button('Test openai').click();
    await page.getByText('openai passed its test.').waitFor();
    await page.getByText('It takes the key and lists 5 models.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('another key is added beside the first, is tried, and the first is taken away', async () => {
    await button('Keys of openai').click();
    await page.getByRole('dialog').getByText('usable').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Add a key').click();
    await page.getByLabel('Name', { exact: true }).fill('second');
    await page.getByLabel('API key').fill('sk-wrong');
    await button('Test and store').click();
    await page.getByRole('dialog').getByText('Nothing was changed').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByLabel('API key').fill(GOOD_KEY);
    await untilTold(page, 'The key is added.', () => button('Test and store').click());
    await button('Remove the key main').click();
    await button('Remove').click();
    await page.getByText('The key main is removed.').waitFor();
    await page.keyboard.press('Escape');
    const { providers } = await bed.harness.operate('GET', '/admin/v1/config');
    expect(providers).toMatchObject({ openai: { api_keys: { second: { key: '********' } } } });
    expect(await page.content()).not.toContain(GOOD_KEY);
    const { key } = await bed.harness.account();
    expect((await bed.harness.chat(key, { model: 'openai/gpt-4o-mini' })).status).toBe(200);
  });

  test('the change is on the list of revisions, shows what it did, and is taken back', async () => {
    await navigation('Catalog').click();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('row', { name: /live/ }).first().waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button(/^Changes of revision/)
      .nth(2)
      .click();
    await page.getByRole('dialog').getByText('+ provider openai').waitFor();
    await page.keyboard.press('Escape');
    // Past the change of keys, back to the document of the start.
    await button(/^Bring back revision \d+$/)
      .last()
      .click();
    await page.getByRole('dialog').getByText('- provider openai').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Bring it back').click();
    await page.getByText(/brings \d+ back/).waitFor();
    const { providers } = await bed.harness.operate('GET', '/admin/v1/config');
    expect(providers).not.toHaveProperty('openai');
  });
});
