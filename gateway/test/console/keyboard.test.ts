// The keyboard alone: nothing here is clicked, and the focus moves only by the Tab key. The focus is always visible,
// and a dialog that closes gives it back to the element that opened it.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';

const MODEL = 'openai/priced';
/** More steps than any page here has places to stop at. */
const STEPS_MAX = 80;

let bed: ConsoleBed;
let page: Page;
let ann: Person;
let orgId: string;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { [MODEL]: { commands: 'tokens-1000-50' } } });
  ann = await bed.person('Ann');
  await bed.harness.operate('POST', '/admin/v1/operators', { email: ann.address, role: 'owner' });
  orgId = String((await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ann.userId })).id);
  const made = await bed.harness.operate('POST', `/admin/v1/users/${ann.userId}/keys`, { name: 'laptop' });
  await bed.chat(String(made.key), MODEL);
  await bed.chat(String(made.key), 'openai/none');
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

/** The focused element is outlined and lies within the window, or the label around it does. */
const isFocusSeen = (): Promise<boolean> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return false;
    const { top, bottom } = focused.getBoundingClientRect();
    const outlined = [focused, focused.closest('label')].some((element) => {
      if (element === null) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    });
    return outlined && bottom > 0 && top < window.innerHeight;
  });

async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
    const place = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    // Past the last place the focus leaves the document for the browser's own buttons, and comes back.
    if (!place?.startsWith('<body')) expect(await isFocusSeen(), place).toBe(true);
  }
  throw new Error(`the Tab key does not lead to ${target}`);
}

const press = async (target: Locator, key = 'Enter'): Promise<void> => {
  await tabTo(target);
  await page.keyboard.press(key);
};

/** A select is changed with the arrows, as far down as the option stands below the chosen one. */
async function choose(target: Locator, option: string): Promise<void> {
  await tabTo(target);
  const steps = await target.evaluate((element, wanted) => {
    const { options, selectedIndex } = element as HTMLSelectElement;
    return [...options].findIndex(({ text }) => text === wanted) - selectedIndex;
  }, option);
  for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowDown');
}

/** By the link of the navigation, then past the navigation to the content. */
async function open(navigation: string, link: string): Promise<void> {
  await press(page.getByRole('navigation', { name: navigation }).getByRole('link', { name: link, exact: true }));
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
  await tabTo(page.getByRole('link', { name: 'Skip to the content' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
}

describe.skipIf(!hasChromium)('with the keyboard alone', { timeout: TEST_TIMEOUT_MS }, () => {
  test('somebody signs in', async () => {
    await page.goto('/console/keys');
    await tabTo(page.getByLabel('Email'));
    await page.keyboard.type(ann.address);
    await tabTo(page.getByLabel('Password'));
    await page.keyboard.type(ann.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  });

  test('a key is made and its secret copied, and the focus goes back to where it came from', async () => {
    await open('Main', 'Keys');
    await press(button('New key'));
    const dialog = page.getByRole('dialog');
    await expect.poll(() => hasFocus(dialog.getByLabel('Name'))).toBe(true);
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('The secret of the new key').waitFor();
    await press(button('I have copied it', dialog), 'Space');
    await expect.poll(() => hasFocus(button('New key'))).toBe(true);
    expect(await isFocusSeen()).toBe(true);
    await page.getByRole('row', { name: /by keyboard/ }).waitFor();
    await press(button('New key'));
    await page.keyboard.press('Escape');
    await expect.poll(() => hasFocus(button('New key'))).toBe(true);
  });

  test('the calls are filtered', async () => {
    await open('Main', 'Generations');
    const rows = page.getByRole('region', { name: 'Generations' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(1 + 2);
    await choose(page.getByLabel('Outcome'), 'Refused');
    await expect.poll(() => rows.count()).toBe(1 + 1);
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('refused');
    const status = page.getByLabel('Status');
    await tabTo(status);
    await page.keyboard.type('402');
    await page.keyboard.press('Enter');
    await page.getByText('No call matches', { exact: true }).waitFor();
    expect(await hasFocus(status)).toBe(true);
  });

  test('whoever follows a link of a page goes on in the next one', async () => {
    await page.goto('/console/orgs');
    await press(page.getByRole('region', { name: 'Organizations' }).getByRole('link', { name: 'Acme' }));
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    expect(await hasFocus(page.getByRole('main'))).toBe(true);
    await page.keyboard.press('Tab');
    expect(await hasFocus(page.getByRole('main').getByRole('link').first())).toBe(true);
  });

  test('an organization gets a rule on what its keys may send', async () => {
    await page.goto(`/console/org/${orgId}/filters`);
    await press(button('New rule').first());
    const dialog = page.getByRole('dialog');
    await expect.poll(() => hasFocus(dialog.getByLabel('Name'))).toBe(true);
    await page.keyboard.type('Code name');
    await choose(dialog.getByLabel('Looks for'), 'Word or phrase');
    await tabTo(dialog.getByLabel('Word or phrase', { exact: true }));
    await page.keyboard.type('falcon');
    await choose(dialog.getByLabel('Then'), 'Redact what matches');
    await press(button('Create the rule', dialog));
    await page.getByRole('row', { name: /Code name falcon/ }).waitFor();
    await expect.poll(() => hasFocus(button('New rule').first())).toBe(true);
  });

  test('an operator corrects a balance, and is told when it would go below zero', async () => {
    await page.goto('/console/operator');
    await open('Operator', 'Users');
    const search = page.getByLabel('Name, email, id or key');
    await tabTo(search);
    await page.keyboard.type(ann.address);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('query')).toBe(ann.address);
    expect(await hasFocus(search)).toBe(true);
    await press(page.getByRole('region', { name: 'Users' }).getByRole('link', { name: 'Ann' }));
    await press(button('Adjust'));
    const amount = page.getByLabel('Amount, USD');
    await expect.poll(() => hasFocus(amount)).toBe(true);
    await page.keyboard.type('-100');
    await tabTo(page.getByLabel('Reason'));
    await page.keyboard.type('credited twice');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('below zero').waitFor();
    await tabTo(amount, 'Shift+Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('-5');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entries' }).getByText('credited twice').waitFor();
    await expect.poll(() => hasFocus(button('Adjust'))).toBe(true);
    const { entries } = await bed.harness.operate('GET', `/admin/v1/users/${ann.userId}/entries?limit=1`);
    expect((entries as Json[])[0]).toMatchObject({ kind: 'adjustment', amountUsd: -5 });
  });
});
