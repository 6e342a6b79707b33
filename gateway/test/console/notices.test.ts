// A person's notices in the console: an address is added, tried and deleted, the last of them only after a question.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

let bed: ConsoleBed;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole();
  page = await bed.openPage();
  await bed.signIn(page, await bed.person('Ada'), '/console/notices');
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  expect(bed?.complaints ?? []).toEqual([]);
  await bed?.close();
}, TEST_TIMEOUT_MS);

const button = (name: string | RegExp, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: typeof name === 'string' });
const addresses = () => page.getByRole('region', { name: 'Addresses' });

describe.skipIf(!hasChromium)('notices of one’s own', { timeout: TEST_TIMEOUT_MS }, () => {
  test('an address is told what was chosen, and a test of it stands in the log', async () => {
    await page.getByText('No addresses yet').waitFor();
    await button('New address').first().click();
    const dialog = page.getByRole('dialog', { name: 'New address' });
    await dialog.getByLabel('A batch has ended').uncheck();
    await dialog.getByLabel('Low balance, USD').fill('12');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Add the address', dialog).click();
    await dialog.waitFor({ state: 'hidden' });
    await addresses().getByText('The balance falls below $12.00').waitFor();
    expect(await addresses().getByText('A batch has ended').count()).toBe(0);
    await button(/^Test /).click();
    await page.getByRole('region', { name: 'Log' }).getByText('A test').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('it is deleted after a question, and stays when that is answered with no', async () => {
    await button(/^Delete /).click();
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    // On a phone the cell that it is opened from stands on the right.
    await page.setViewportSize({ width: 375, height: 800 });
    const side = (element: Element): string => getComputedStyle(element).textAlign;
    expect(await dialog.getByRole('heading').evaluate(side)).toBe('left');
    await page.setViewportSize({ width: 1280, height: 900 });
    await button('Cancel', dialog).click();
    await dialog.waitFor({ state: 'hidden' });
    await button(/^Delete /).click();
    await button('Delete the address', dialog).click();
    await page.getByText('No addresses yet').waitFor();
  });
});
