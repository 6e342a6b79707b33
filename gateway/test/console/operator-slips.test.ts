// What goes wrong at the operator's desk without anybody meaning it: a name that is taken, a list whose first entry is
// removed, a second press before the first is done, and a password with a blank at its end.

import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS } from './console-bed.ts';

const MODEL = 'openai/dear';
const ANOTHER = 'openai/another';

let bed: ConsoleBed;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  const dear = { entry: { pricing: { prompt: '20', completion: '40' } } };
  bed = await openConsole({ models: { [MODEL]: dear, [ANOTHER]: {} } });
  const routes = ['0.5', '0.7'].map((batch) => ({
    provider: 'sim',
    upstream_model: `dear-${batch}`,
    extras: { batch },
  }));
  const live = await bed.harness.operate('GET', '/admin/v1/config');
  const models = live.models as Record<string, Json>;
  const config = { ...live, models: { ...models, [MODEL]: { ...models[MODEL], routes } } };
  await bed.harness.operate('PUT', '/admin/v1/config?confirm_prices=true', config);
  page = await bed.openPage();
  await enter('catalog');
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

const dialog = (): Locator => page.getByRole('dialog');

/** Loads the console anew: a page that was pointed at before has its answers already. */
const enter = async (name: string): Promise<void> => {
  await page.goto(`/console/operator/${name}`);
  await page.getByLabel('Operator token').fill(ADMIN_TOKEN);
  await button('Enter').click();
};

const open = async (link: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link, exact: true }).waitFor();
};

describe.skipIf(!hasChromium)('at the operator’s desk', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a new entry with a name that is taken replaces nothing', async () => {
    await button('Add a model').click();
    await dialog().getByLabel('Id, as vendor/name').fill(MODEL);
    await button('Review the change').click();
    await dialog().getByText('There is one of this name already.').waitFor();
    await button('Cancel').click();
    expect(await page.getByText('There are changes that are not applied yet.').count()).toBe(0);
  });

  test('a choice without a default has to be made', async () => {
    await page.getByRole('tab', { name: 'Guards' }).click();
    await button('Add a guard').click();
    await dialog().getByLabel('Name of the guard').fill('outside');
    const form = dialog().getByLabel('Form', { exact: true });
    expect(await form.locator('option').first().textContent()).toBe('Choose one');
    await button('Review the change').click();
    expect(await form.evaluate((field: HTMLSelectElement) => [field.validity.valueMissing, field.value])).toEqual([
      true,
      '',
    ]);
    await button('Cancel').click();
  });

  test('a price that is no number is not even reviewed', async () => {
    await page.getByRole('tab', { name: 'Models' }).click();
    await button(`Edit ${MODEL}`).click();
    const price = dialog().getByLabel('In, USD per 1M tokens');
    for (const typed of ['abc', '1,5', '$2']) {
      await price.fill(typed);
      await button('Review the change').click();
      expect(await price.evaluate((field: HTMLInputElement) => field.validity.patternMismatch), typed).toBe(true);
    }
    await button('Cancel').click();
    expect(await page.getByText('There are changes that are not applied yet.').count()).toBe(0);
  });

  test('a double click applies a change once', async () => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.url());
    });
    await button(`Edit ${ANOTHER}`).click();
    await dialog().getByLabel('In, USD per 1M tokens').fill('3');
    await button('Review the change').click();
    await button('Apply').dblclick();
    await page.getByRole('row', { name: new RegExp(`${ANOTHER} \\$3`) }).waitFor();
    await page.getByText('The change is applied.').waitFor();
    expect(sent).toHaveLength(1);
  });

  test('an address of a vendor that is none is told in its field', async () => {
    await open('Providers');
    await page.getByRole('link', { name: 'Connect a provider' }).click();
    await button('OpenAI').click();
    await page.getByLabel('API key').fill('sk-test');
    await page.getByText('Another address or name').click();
    await page.getByLabel('Base URL').fill('api.example.test/v1');
    await button('Test and list models').click();
    await page.getByText('An address begins with http:// or https://.').waitFor();
    expect(await page.getByLabel('Base URL').getAttribute('aria-invalid')).toBe('true');
    await open('Catalog');
  });

  test('after the first entry of a list is removed, the second shows what it has', async () => {
    await page.getByRole('tab', { name: 'Models' }).click();
    await button(`Edit ${MODEL}`).click();
    await dialog().getByText('Routes', { exact: false }).first().click();
    const first = dialog().getByRole('group', { name: 'Routes 1' });
    await first.getByText('Extras').click();
    await expect.poll(() => first.getByLabel('Extras, batch').inputValue()).toBe('0.5');
    await button('Remove Routes 1').click();
    await expect.poll(() => first.getByLabel('Extras, batch').inputValue()).toBe('0.7');
    await button('Cancel').click();
  });

  test('what was discarded is not in the settings any more', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    const rate = page.getByLabel('Paid requests per minute');
    const before = await rate.inputValue();
    await rate.fill('4321');
    await button('Review the change').click();
    await button('Back').click();
    await button('Discard them').click();
    await expect.poll(() => rate.inputValue()).toBe(before);
  });

  test('a change to a tier before the last one is read back counts too, and undoes nothing', async () => {
    const tier = (): Promise<Json> => bed.harness.operate('GET', '/admin/v1/auto-router/paid/simple');
    const models = [MODEL, 'openai/test', ANOTHER];
    await bed.harness.operate('PATCH', '/admin/v1/auto-router/paid/simple', { models });
    const held: Route[] = [];
    await page.route('**/auto-router/paid/simple', (route) => void held.push(route));
    await enter('auto-router');
    await button(`Remove ${MODEL}`).click();
    await expect.poll(() => held.length).toBe(1);
    const entry = (model: string): Locator => page.getByRole('listitem').filter({ hasText: model });
    await entry(ANOTHER).dragTo(entry('openai/test'));
    await expect.poll(() => button('Move openai/test down').isDisabled()).toBe(true);
    expect(held).toHaveLength(1);
    await held[0]?.continue();
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.continue();
    await expect.poll(tier).toMatchObject({ models: [ANOTHER, 'openai/test'] });
    await expect.poll(() => page.getByRole('switch', { name: 'Simple is on' }).isDisabled()).toBe(false);
    expect(await button('Move openai/test down').isDisabled()).toBe(true);
    await page.unroute('**/auto-router/paid/simple');
  });

  test('a new person signs in with the password that was typed', async () => {
    await open('Users');
    await button('New user').click();
    const address = bed.town.newAddress();
    await dialog().getByLabel('Email').fill(address);
    await dialog().getByLabel('Name').fill('Eve');
    await dialog().getByLabel('Password').fill('with a blank ');
    await button('Create the user').click();
    await page.getByRole('heading', { level: 1, name: 'Eve' }).waitFor();
    const hers = await bed.openPage();
    await bed.signIn(hers, { userId: '', address, password: 'with a blank ' });
    await hers.context().close();
  });

  test('a student is named, and no link leads to a page that a student does not have', async () => {
    const userId = 'student-0000000000000001';
    const exposure = {
      ...{ userId, accountId: 'org-1', unpaidUsd: 1, allowanceUsd: 2, extraUsd: 0, restricted: false },
      ...{ restrictedUntil: null, restrictedReason: null, restrictions: 0 },
    };
    await page.route('**/admin/v1/exposures', (route) => route.fulfill({ json: { exposures: [exposure] } }));
    await page.route('**/admin/v1/absorbed', (route) =>
      route.fulfill({ json: { totalUsd: 1, users: [{ userId, absorbedUsd: 1, calls: 1, models: [] }] } }),
    );
    await enter('ledger');
    await expect.poll(() => page.getByText('Student 0001').count()).toBe(2);
    expect(await page.getByRole('link', { name: /student/i }).count()).toBe(0);
    await page.unrouteAll();
  });
});
