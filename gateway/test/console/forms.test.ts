// The forms of the console are all sent in one way: once, however often the button is pressed, with their fields locked
// meanwhile, and the gateway's message about a field is shown beside that field.

import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';

let bed: ConsoleBed;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole();
  page = await bed.openPage();
  await bed.signIn(page, await bed.person('Ada'));
  await page.goto('/console/settings');
  await page.getByLabel('Name', { exact: true }).waitFor();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  expect(bed?.complaints ?? []).toEqual([]);
  await bed?.close();
}, TEST_TIMEOUT_MS);

const PROFILE = '**/api/auth/profile';
const name = () => page.getByLabel('Name', { exact: true });
const save = () => page.getByRole('button', { name: 'Save the name' });

/** The requests to the address, each held back until the test lets it go. */
async function holdBack(address: string): Promise<Route[]> {
  const held: Route[] = [];
  await page.route(address, (route) => void held.push(route));
  return held;
}

describe.skipIf(!hasChromium)('a form', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is sent once and is locked until the answer is there', async () => {
    const held = await holdBack(PROFILE);
    await name().fill('Ada Moreau');
    // Two presses before the page has been drawn again.
    await save().evaluate((button: HTMLButtonElement) => {
      button.form?.requestSubmit();
      button.form?.requestSubmit();
    });
    await expect.poll(() => held.length).toBe(1);
    expect(await name().isDisabled()).toBe(true);
    expect(await save().getAttribute('aria-busy')).toBe('true');
    await untilTold(page, 'Your name is changed.', async () => held[0]?.continue());
    expect([await name().isEnabled(), held.length]).toEqual([true, 1]);
    await page.unroute(PROFILE);
  });

  test('shows what the gateway says of a field beside it, and moves the focus there', async () => {
    await page.route(PROFILE, (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: JSON.stringify({ error: { message: 'name: must be a line of text.', type: 'x', code: 'http_400' } }),
      }),
    );
    await name().fill('Ada');
    await save().click();
    await page.getByText('Must be a line of text.', { exact: true }).waitFor();
    expect(await name().getAttribute('aria-invalid')).toBe('true');
    expect(await name().evaluate((field) => field === document.activeElement)).toBe(true);
    // Nowhere else.
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.unroute(PROFILE);
    // What is typed now is not known to be wrong.
    await name().fill('Ada M.');
    await page.getByText('Must be a line of text.', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    await untilTold(page, 'Your name is changed.', () => save().click());
  });

  test('says below its fields what belongs to none of them, and leaves the focus where it was', async () => {
    await page.route(PROFILE, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        body: JSON.stringify({ error: { message: 'Not now.', type: 'x', code: 'http_503' } }),
      }),
    );
    await save().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await expect.poll(() => save().evaluate((button) => button === document.activeElement)).toBe(true);
    await page.unroute(PROFILE);
  });

  test('a question that could not be answered leaves the focus on its button', async () => {
    await page.route('**/api/auth/logout-all', (route) =>
      route.fulfill({ status: 409, json: { error: { message: 'Not now.' } } }),
    );
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    const answer = page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' });
    await answer.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').getByText('Not now.').waitFor();
    expect(await answer.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await page.unroute('**/api/auth/logout-all');
  });

  test('the gateway names the fields as the forms do', async () => {
    await page.goto('/console/keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByLabel('Allowed addresses').fill('nowhere');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await expect.poll(() => dialog.getByLabel('Allowed addresses').getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });
});
