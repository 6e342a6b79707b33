// The desk and the books in a browser: a person reads their statement, the operator sees what happened
// and refunds a call, and both find it on the statement.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

const MODEL = 'openai/priced';

let bed: ConsoleBed;
let ann: Person;
let key: string;
let generationId: string;
let toldOfNone: string;
let page: Page;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({
    models: {
      [MODEL]: {
        commands: 'tokens-1000-50',
        entry: {
          pricing: { prompt: '1', completion: '2', cache_write_1h: '2', web_search: '0.02' },
          pricing_tiers: [{ above_prompt_tokens: 200_000, prompt: '0.000003', completion: '0.000006' }],
          extras: { 'service_tier=priority': '2' },
        },
      },
    },
    document: { accounts: { welcome_credit_usd: '0.5', contact: 'desk@example.test', public_models: true } },
  });
  ann = await bed.person('Ann', 10);
  const made = await bed.harness.operate('POST', `/admin/v1/users/${ann.userId}/keys`, { name: 'laptop' });
  key = String(made.key);
  generationId = String((await bed.chat(key, MODEL)).body.id);
  for (let call = 0; call < 3; call += 1) await bed.chat(key, MODEL);
  const refused = await bed.chat(key, 'openai/none');
  toldOfNone = String((refused.body.error as Json).message);
  page = await bed.openPage();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  expect(await bed?.harness.ledgerCheck()).toMatchObject({ ok: true });
  expect(bed?.unpublishedCalls()).toEqual([]);
  await bed?.close();
}, TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

const heading = (name: string): Promise<void> => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

const open = async (navigation: string, link: string): Promise<void> => {
  await page.getByRole('navigation', { name: navigation }).getByRole('link', { name: link, exact: true }).click();
  await heading(link);
};

describe.skipIf(!hasChromium)('the books of a person', { timeout: TEST_TIMEOUT_MS }, () => {
  test('the statement shows every call with the balance after it, by day and as a file', async () => {
    await bed.signIn(page, ann);
    await open('Main', 'Statement');
    const entries = page.getByRole('region', { name: 'Entries' });
    await entries.waitFor();
    expect(await entries.getByRole('row').count()).toBe(1 + 5);
    await page.getByText('Opening balance').waitFor();
    const saved = page.waitForEvent('download');
    await button('Save as CSV').click();
    expect((await saved).suggestedFilename()).toBe('tollgate-statement.csv');
    await page.getByText('By day', { exact: true }).click();
    await entries.getByText('4 calls').waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe('day');
  });

  test('the credits lead to the statement, and to whom to ask for more', async () => {
    await open('Main', 'Credits');
    await page.getByRole('link', { name: 'desk@example.test' }).waitFor();
    await page.getByRole('link', { name: 'See the statement' }).click();
    await heading('Statement');
  });
});

describe.skipIf(!hasChromium)('a new key', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is made, and closing before the secret was copied asks', async () => {
    await open('Main', 'Keys');
    await button('New key').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The secret of the new key').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByText('have not copied the secret yet').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('Close without copying', dialog).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('row', { name: /by keyboard/ }).waitFor();
  });

  test('is not shown as switched off before the gateway has said so', async () => {
    await page.route('**/api/account/keys/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
    );
    const isOn = page.getByRole('row', { name: /by keyboard/ }).getByRole('switch');
    await isOn.click();
    await page.getByRole('alert').first().waitFor();
    expect(await isOn.getAttribute('aria-checked')).toBe('true');
    await page.unroute('**/api/account/keys/*');
  });
});

describe.skipIf(!hasChromium)('the calls of a person', { timeout: TEST_TIMEOUT_MS }, () => {
  const list = (): Locator => page.getByRole('region', { name: 'Generations' });
  const search = (name: string): string | null => new URL(page.url()).searchParams.get(name);

  test('those that were refused say what the client was told, and filters are in the address', async () => {
    await open('Main', 'Generations');
    await expect.poll(() => list().getByRole('row').count()).toBe(1 + 5);
    await page.getByLabel('Outcome').selectOption({ label: 'Refused' });
    await expect.poll(() => list().getByRole('row').count()).toBe(1 + 1);
    await list().getByText('refused (400)').waitFor();
    await list().getByText(toldOfNone).waitFor();
    expect(search('outcome')).toBe('refused');
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.reload();
    await expect.poll(() => list().getByRole('row').count()).toBe(1 + 1);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('Call or request id').fill(generationId);
    await page.keyboard.press('Enter');
    await expect.poll(() => list().getByRole('row').count()).toBe(1 + 1);
    expect(search('id')).toBe(generationId);
    const saved = page.waitForEvent('download');
    await button('Save as CSV').click();
    expect((await saved).suggestedFilename()).toBe('tollgate-calls.csv');
  });

  test('are sorted by what they cost, and each is explained with its rate', async () => {
    await page.goto('/console/generations');
    await button('Cost', list()).click();
    await expect
      .poll(() => list().getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'))
      .toBe('descending');
    await button('Cost', list()).click();
    await list().getByRole('row').nth(1).getByText('refused').waitFor();
    expect(search('sort')).toBe('cost');
    await list().getByRole('link').first().click();
    await heading('Generation');
    const lines = page.getByRole('region', { name: 'Lines of the cost' });
    await lines.getByRole('row', { name: 'prompt tokens 1,000 $1.00 per million $0.001' }).waitFor();
    await lines.getByRole('row', { name: /Together.*\$0\.0011/ }).waitFor();
    await page.getByText('The ordinary prices of the model.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByRole('link', { name: MODEL }).click();
    await page.getByRole('heading', { level: 2, name: 'Price' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'laptop' }).click();
    await heading('Generations');
    expect(search('key')).not.toBeNull();
  });
});

describe.skipIf(!hasChromium)('the usage of a person', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is shown by the hour and by days, with the time before, narrowed and saved', async () => {
    await open('Main', 'Usage');
    await page.getByText('24 hours', { exact: true }).click();
    const table = page.getByRole('region', { name: 'Usage by model' });
    await table.getByRole('row', { name: new RegExp(`^${MODEL} .*4`) }).waitFor();
    await page.getByText('none before').first().waitFor();
    await page.getByRole('img', { name: 'spend over time, by model' }).waitFor();
    await page.getByText('By key', { exact: true }).click();
    await page.getByText('90 days', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Key' }).selectOption({ label: 'laptop' });
    await page
      .getByRole('region', { name: 'Usage by key' })
      .getByRole('row', { name: /^laptop/ })
      .waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('period'), searchParams.get('by'), searchParams.has('key')]).toEqual(['90d', 'key', true]);
    const saved = page.waitForEvent('download');
    await button('Save as CSV').click();
    expect((await saved).suggestedFilename()).toBe('tollgate-usage.csv');
  });
});

describe.skipIf(!hasChromium)('the desk of the operator', { timeout: TEST_TIMEOUT_MS }, () => {
  test('the overview says what came in', async () => {
    await page.goto('/console/operator');
    await page.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter').click();
    await open('Operator', 'Overview');
    await page.getByRole('region', { name: 'Largest customers' }).getByRole('link', { name: ann.address }).waitFor();
  });

  test('the log of calls is narrowed by its filters, which are in the address', async () => {
    await open('Operator', 'Calls');
    const calls = page.getByRole('region', { name: 'Calls' });
    await expect.poll(() => calls.getByRole('row').count()).toBe(1 + 5);
    await page.getByLabel('Outcome').selectOption('refused');
    await button('Show').click();
    await expect.poll(() => calls.getByRole('row').count()).toBe(1 + 1);
    await calls.getByText('openai/none').first().waitFor();
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('refused');
    await button('Clear').click();
    await expect.poll(() => calls.getByRole('row').count()).toBe(1 + 5);
  });

  test('a call is explained with its rate, and refunded once', async () => {
    await page.getByLabel('Call or request id').fill(generationId);
    await button('Show').click();
    await page.getByRole('region', { name: 'Calls' }).getByRole('link', { name: /^gen-/ }).click();
    await heading('Explain');
    await page.getByText('$1.00 per million').first().waitFor();
    await button('Refund').click();
    await page.getByLabel('Reason').fill('The answer was cut off.');
    await button('Refund the call').click();
    await page.getByText('refunded', { exact: true }).waitFor();
    const entries = page.getByRole('region', { name: 'Ledger entries' });
    await entries.getByRole('row', { name: /^refund \d+ \w+ \d{4}, \d\d:\d\d:\d\d system-revenue/ }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('the page of a person has the refund among their entries', async () => {
    await page.getByRole('link', { name: ann.address }).click();
    await heading('Ann');
    await page.getByRole('region', { name: 'Entries' }).getByText('The answer was cut off.').waitFor();
    await page.getByRole('region', { name: 'Usage' }).getByRole('row', { name: MODEL }).waitFor();
    await page.getByText('Nothing was left unpaid lately.').waitFor();
  });

  test('the page of an organization has what it used, its members and its keys', async () => {
    const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ann.userId });
    const path = `/admin/v1/orgs/${org.id}`;
    await bed.harness.operate('POST', `${path}/credits`, { amountUsd: 5 });
    const made = await bed.harness.operate('POST', `${path}/keys`, { name: 'build server', userId: ann.userId });
    await bed.chat(String(made.key), MODEL);
    await open('Operator', 'Organizations');
    await page.getByRole('link', { name: 'Acme' }).click();
    const row = (region: string, name: string): Locator =>
      page.getByRole('region', { name: region, exact: true }).getByRole('row', { name });
    await row('Usage', MODEL).waitFor();
    await row('Keys', 'build server').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await row('Members', ann.address).getByRole('link', { name: 'Ann' }).click();
    await heading('Ann');
  });
});

describe.skipIf(!hasChromium)('the lists of the operator', { timeout: TEST_TIMEOUT_MS }, () => {
  test('find people by any part of what is known, and sort them by balance', async () => {
    await bed.person('Zoe Larger', 25);
    await open('Operator', 'Users');
    const list = page.getByRole('region', { name: 'Users' });
    await button('Balance', list).click();
    await list.getByRole('row').nth(1).getByText('$25.00').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-balance');
    await page.getByLabel('Name, email, id or key').fill(key.slice(-4));
    await button('Search').click();
    await expect.poll(() => list.getByRole('row').count()).toBe(1 + 1);
    await list.getByRole('link', { name: 'Ann' }).waitFor();
    await page.getByLabel('Name, email, id or key').fill('e larg');
    await button('Search').click();
    await list.getByRole('link', { name: 'Zoe Larger' }).waitFor();
    // A whole key finds its holder, and does not stand in the address.
    await page.getByLabel('Name, email, id or key').fill(key);
    await button('Search').click();
    await list.getByRole('link', { name: 'Ann' }).waitFor();
    expect(new URL(page.url()).searchParams.get('query')).toBe(`${key.slice(0, 10)}…${key.slice(-4)}`);
  });
});

describe.skipIf(!hasChromium)('codes for credit', { timeout: TEST_TIMEOUT_MS }, () => {
  test('are made by the operator and redeemed by a person, who finds them on the statement', async () => {
    await open('Operator', 'Codes');
    await button('New codes').click();
    await page.getByLabel('How many').fill('2');
    await page.getByLabel('Worth each, USD').fill('3');
    await page.getByLabel('Note').fill('Workshop');
    await button('Make the codes').click();
    const codes = page.getByText(/^TG-/).first();
    await codes.waitFor();
    const [code = ''] = String(await codes.textContent()).split('\n');
    await page.getByRole('region', { name: 'Batches of codes' }).getByText('0 of 2').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.goto('/console/credits');
    await page.getByLabel('Code', { exact: true }).fill('TG-WRONG');
    await button('Redeem').click();
    await page.getByRole('alert').getByText('cannot be redeemed here').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(code.toLowerCase());
    await button('Redeem').click();
    await page.getByText('$3.00 were added.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await open('Main', 'Statement');
    await page.getByRole('region', { name: 'Entries' }).getByText('Workshop').waitFor();
  });
});

/** From the page for signing up to an answer; how many clicks that took, the one in the mail included. */
async function signUpAndAsk(visitor: Page): Promise<number> {
  await visitor.goto('/console/sign-up');
  const address = bed.town.newAddress();
  await visitor.getByLabel('Name').fill('Vera');
  await visitor.getByLabel('Email').fill(address);
  await button('Create account', visitor).click();
  const path = await bed.mailedPath(address);
  let clicks = 1;
  const click = async (place: Locator): Promise<void> => {
    clicks += 1;
    await place.click();
  };
  await visitor.goto(path);
  await visitor.getByLabel('Password').fill(ann.password);
  await click(button('Confirm my address', visitor));
  await click(visitor.getByRole('link', { name: 'Open the playground' }));
  await visitor.getByLabel('Prompt').fill('Hello');
  await click(button('Run', visitor));
  await visitor.getByText('See the record').waitFor();
  return clicks;
}

describe.skipIf(!hasChromium)('people who are new', { timeout: TEST_TIMEOUT_MS }, () => {
  test('read models without signing in, and have an answer within five clicks of the mail', async () => {
    const visitor = await bed.openPage();
    await visitor.goto('/console/models');
    await visitor.getByRole('link', { name: MODEL }).click();
    await visitor.getByRole('heading', { level: 2, name: 'Price' }).waitFor();
    await visitor.getByText('Per search of the web').waitFor();
    await visitor.getByText('Cache write for an hour, per 1M tokens').waitFor();
    const prices = (name: string): Locator => visitor.getByRole('region', { name });
    await prices('Prices by length of prompt').getByRole('row', { name: '200,000 tokens $3 $6' }).waitFor();
    await prices('Extras').getByRole('row', { name: 'service_tier=priority 2 times the price' }).waitFor();
    expect(await checkPage(visitor)).toEqual(NO_PROBLEMS);
    await visitor.goto('/console/keys');
    await button('Sign in', visitor).waitFor();
    await visitor.getByRole('link', { name: 'Create an account' }).click();
    await visitor.getByRole('heading', { level: 1, name: 'Create your account' }).waitFor();
    expect(await signUpAndAsk(visitor)).toBeLessThanOrEqual(5);
    await visitor.context().close();
  });

  test('see what to do with an empty balance, and what a call says then', async () => {
    const visitor = await bed.openPage();
    const address = bed.town.newAddress();
    const made = { email: address, name: 'Ben', password: ann.password };
    const { id } = await bed.harness.operate('POST', '/admin/v1/users', made);
    await bed.signIn(visitor, { userId: String(id), address, password: ann.password });
    await visitor.getByText('Your balance is empty').waitFor();
    await visitor.getByRole('link', { name: 'desk@example.test' }).waitFor();
    expect(await checkPage(visitor)).toEqual(NO_PROBLEMS);
    await visitor.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Playground' }).click();
    await visitor.getByLabel('Prompt').fill('Hello');
    await visitor.keyboard.press('Control+Enter');
    await visitor.getByText('Credit is given by desk@example.test.').waitFor();
    await visitor.getByRole('link', { name: 'Get credit' }).click();
    await visitor.getByText('Ask for credit: desk@example.test').waitFor();
    await visitor.context().close();
  });

  test('have an answer of a free model within five clicks of the mail, without any credit', async () => {
    const config = await bed.harness.operate('GET', '/admin/v1/config');
    const models = config.models as Record<string, Json>;
    const free = { requests_per_minute: 100, requests_per_day: 100 };
    await bed.harness.operate('PUT', '/admin/v1/config', {
      ...config,
      accounts: { ...(config.accounts as Json), welcome_credit_usd: '0' },
      models: { ...models, 'openai/test': { ...models['openai/test'], free } },
    });
    const visitor = await bed.openPage();
    expect(await signUpAndAsk(visitor)).toBeLessThanOrEqual(5);
    await visitor.getByRole('main').getByText('$0.00', { exact: true }).waitFor();
    await visitor.goto('/console/');
    await visitor.getByText('Your balance is empty').waitFor();
    // The first call, too, works without money.
    await visitor.getByRole('tabpanel').getByText('"model":"openai/test:free"').waitFor();
    await visitor.context().close();
  });
});
