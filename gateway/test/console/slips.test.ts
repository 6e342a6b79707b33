// What goes wrong at a desk without anybody meaning it: a word that was typed and not added, a button beside the right
// one, a list that was read before the change, and the next person in the same browser.

import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../harness.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';

const MODEL = 'openai/dear';

const BATCH = {
  ...{ endpoint: '/v1/chat/completions', status: 'in_progress', lines: 2, succeeded: 1, failed: 0 },
  ...{ problem: null, handed: [], createdAt: '2026-01-01T00:00:00Z', endedAt: null, expiresAt: '2026-01-02T00:00:00Z' },
};

const CALL = {
  ...{ id: 'gen-1', at: '2026-01-01T00:00:00Z', outcome: 'ok', status: 200, code: null, message: null },
  ...{ requestId: null, generationId: 'gen-1', accountId: null, accountName: null, userId: null, userEmail: null },
  ...{ keyId: 'key-1', keyName: 'laptop', model: MODEL, provider: 'sim', appName: null, operation: 'chat' },
  ...{ streamed: false, finishReason: 'stop', durationMs: 5, firstTokenMs: null, promptTokens: 1, completionTokens: 1 },
  ...{ costUsd: 0.01, absorbedUsd: 0, count: 1 },
};

const ORDER = {
  ...{ id: 'ord-1', userId: 'user-1', accountId: 'user-1', sessionId: null, state: 'expired', reclaimedUsd: 0 },
  ...{ creditUsd: 5, totalUsd: 5, createdAt: '2026-01-01T00:00:00Z' },
};

const OFFER = {
  ...{ providers: ['fake'], channels: [{ channel: 'usd', exchangeRate: '1' }], feePercent: 10, vatPercent: 5 },
  ...{ amountUsdMin: 5, amountUsdMax: 1000 },
};

let bed: ConsoleBed;
let page: Page;
let ann: Person;
let orgId = '';

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { [MODEL]: { entry: { pricing: { prompt: '20', completion: '40' } } } } });
  page = await bed.openPage();
  ann = await bed.person('Ann');
  await bed.signIn(page, ann);
  orgId = await foundOrg('Acme');
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

const dialog = (place: Page = page): Locator => place.getByRole('dialog');

/** Of Ann, who is its administrator. */
async function foundOrg(name: string): Promise<string> {
  const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name, ownerUserId: ann.userId });
  return String(org.id);
}

/** Opens another page of the console without loading the document again. */
const within = (place: Page, path: string): Promise<void> =>
  place.evaluate((next) => window.history.pushState({}, '', next), path);

/** Of a list: its second page is refused. */
const giveFirstPage = (place: Page, list: RegExp, json: object): Promise<unknown> =>
  place.route(list, async (route) => {
    const error = { message: 'Too many requests.', type: 'x', code: 'http_429' };
    const isFurther = /[?&](cursor|after)=/.test(route.request().url());
    await route.fulfill(isFurther ? { status: 429, json: { error } } : { json });
  });

/** Asks the playground, and tells with which key it called. */
async function keyOfCall(place: Page): Promise<string> {
  await place.getByLabel('Prompt').fill('Say hello.');
  const [call] = await Promise.all([
    place.waitForRequest((request) => new URL(request.url()).pathname === '/v1/chat/completions'),
    button('Run', place).click(),
  ]);
  await place.getByRole('link', { name: 'See the record' }).last().waitFor();
  return String(call.headers().authorization);
}

describe.skipIf(!hasChromium)('at a desk', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a model that was typed and not added belongs to the list that is saved', async () => {
    await page.goto(`/console/org/${orgId}/models`);
    await button('Edit the list of Organization').click();
    await dialog().getByLabel('Add a model').fill(MODEL);
    await untilTold(page, 'The list is saved.', () => button('Save the list').click());
    await page.getByText('Nothing is set: every model is allowed.').waitFor({ state: 'detached' });
    expect(await page.getByRole('listitem').filter({ hasText: MODEL }).count()).toBe(2);
  });

  test('what is wrong with boxes that are ticked is said, although no field says it', async () => {
    await page.goto(`/console/org/${orgId}/filters`);
    await button('New guard').click();
    await dialog().getByLabel('Name').fill('Outside');
    await dialog().getByLabel('URL').fill('https://guard.example/check');
    await dialog().getByLabel('Before the call').uncheck();
    await button('Add the guard').click();
    await dialog().getByRole('alert').getByText('stages').waitFor();
    await button('Cancel').click();
  });

  test('the next person in the same page calls with a key of their own, and is no operator', async () => {
    const shared = await bed.openPage();
    await bed.signIn(shared, ann, '/console/playground');
    const before = await keyOfCall(shared);
    await within(shared, '/console/operator');
    await shared.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter', shared).click();
    await shared.getByRole('navigation', { name: 'Operator' }).waitFor();
    // Her session has ended by its age, and somebody else signs in.
    await shared.context().clearCookies();
    await within(shared, '/console/sign-in?next=/playground');
    await bed.signIn(shared, await bed.person('Bo'), null);
    expect(await keyOfCall(shared)).not.toBe(before);
    await within(shared, '/console/operator');
    await shared.getByLabel('Operator token').waitFor();
    await shared.context().close();
  });

  test('a sign-out that did not work says so', async () => {
    await page.goto('/console/keys');
    await page.route('**/api/auth/logout', (route) => route.abort());
    await button('Sign out').click();
    await page.getByRole('alert').getByText('You are not signed out yet.').waitFor();
    await page.unroute('**/api/auth/logout');
  });

  test('older batches are a press away, one is cancelled after a question, and a member finds those of an organization', async () => {
    const asked: string[] = [];
    await page.route(/\/api\/account\/batches/, async (route) => {
      const { pathname, searchParams } = new URL(route.request().url());
      if (route.request().method() === 'POST') asked.push(pathname);
      const id = searchParams.get('after') === 'batch-new' ? 'batch-old' : 'batch-new';
      const data = [{ ...BATCH, id }];
      const json = { object: 'list', data, first_id: id, last_id: id, has_more: id === 'batch-new' };
      await route.fulfill({ json: route.request().method() === 'POST' ? { ...BATCH, id } : json });
    });
    await page.route('**/api/auth/session', async (route) => {
      const response = await route.fetch();
      const session = await response.json();
      const organizations = session.organizations.map((org: object) => ({ ...org, role: 'member' }));
      await route.fulfill({ response, json: { ...session, organizations } });
    });
    await page.goto('/console/batches');
    const batches = page.getByRole('region', { name: 'Batches' });
    await batches.getByText('batch-new').waitFor();
    await button('Show older ones').click();
    await batches.getByText('batch-old').waitFor();
    await button('Cancel batch-old').click();
    await button('Let it run', dialog()).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(asked).toEqual([]);
    await button('Cancel batch-old').click();
    await button('Cancel the batch', dialog()).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(asked).toEqual(['/api/account/batches/batch-old/cancel']);
    await page.getByLabel('Account').selectOption({ label: 'Acme' });
    await expect.poll(() => page.url()).toContain(orgId);
    await page.unrouteAll();
  });

  test('a list of several pages shows what was changed on the page of one of its members', async () => {
    const desk = await bed.openPage();
    const { userId } = await bed.person('Cy');
    let suspended = false;
    const user = { email: 'cy@example.com', createdAt: '2026-01-01T00:00:00Z', balanceUsd: 0 };
    await desk.route(/\/admin\/v1\/users\?/, async (route) => {
      const isFirst = new URL(route.request().url()).searchParams.get('cursor') === null;
      const one = isFirst
        ? { ...user, id: userId, name: 'Cy', suspended }
        : { ...user, id: 'user-0', name: 'Di', suspended: false };
      await route.fulfill({ json: { users: [one], next: isFirst ? 'more' : null } });
    });
    await desk.goto('/console/operator/users');
    await desk.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter', desk).click();
    await button('Show more', desk).click();
    await desk.getByRole('row', { name: /^Di / }).waitFor();
    await desk.getByRole('link', { name: 'Cy' }).click();
    await button('Suspend', desk).click();
    suspended = true;
    await button('Suspend', dialog(desk)).click();
    await desk.getByText('Cy is suspended.').waitFor();
    await desk.goBack();
    await desk.getByRole('row', { name: /^Cy .*suspended/ }).waitFor();
    await desk.context().close();
  });

  test('the settings of an organization are its own, also after a step back over another', async () => {
    const name = page.getByLabel('Name', { exact: true });
    const shows = (text: string) => expect.poll(() => name.inputValue()).toBe(text);
    await page.goto(`/console/org/${orgId}`);
    await shows('Acme');
    await within(page, '/console/orgs');
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor();
    await within(page, `/console/org/${await foundOrg('Bolt')}`);
    await shows('Bolt');
    await page.evaluate(() => window.history.go(-2));
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor();
    await shows('Acme');
  });

  test('a secret is copied also where the browser gives the page no clipboard', async () => {
    const plain = await bed.openPage();
    await plain.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
    await bed.signIn(plain, ann, '/console/keys');
    await button('New key', plain).first().click();
    await dialog(plain).getByLabel('Name').fill('laptop');
    await button('Create key', plain).click();
    const secret = String(await plain.getByLabel('The secret of the new key').textContent());
    await button('Copy', plain).click();
    await button('Copied', plain).waitFor();
    await button('I have copied it', plain).click();
    await button('New key', plain).first().click();
    await dialog(plain).getByLabel('Name').focus();
    await plain.keyboard.press('ControlOrMeta+v');
    expect(await dialog(plain).getByLabel('Name').inputValue()).toBe(secret);
    await plain.context().close();
  });

  test('the kept answers of an organization and the codes of a batch go only after a question', async () => {
    const gone: string[] = [];
    const note = (place: Page) =>
      place.on('request', (request) => request.method() === 'DELETE' && gone.push(new URL(request.url()).pathname));
    const desk = await bed.openPage();
    note(page);
    note(desk);
    await page.goto(`/console/org/${orgId}`);
    await button('Empty the cache of answers').click();
    await button('Cancel', dialog()).click();
    await dialog().waitFor({ state: 'hidden' });
    await bed.harness.operate('POST', '/admin/v1/codes', { count: 2, amountUsd: '3', note: 'Workshop' });
    await desk.goto('/console/operator/codes');
    await desk.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter', desk).click();
    await button('Withdraw', desk).click();
    await button('Cancel', dialog(desk)).click();
    await dialog(desk).waitFor({ state: 'hidden' });
    expect(gone).toEqual([]);
    await button('Empty the cache of answers').click();
    await untilTold(page, 'The cache is empty.', () => button('Empty it', dialog()).click());
    await button('Withdraw', desk).click();
    await untilTold(desk, 'The codes are withdrawn.', () => button('Withdraw the codes', dialog(desk)).click());
    expect(gone).toEqual([`/api/orgs/${orgId}/cache`, expect.stringMatching(/^\/admin\/v1\/codes\//)]);
    await desk.context().close();
  });

  test('a list stays when its next page cannot be read, and says why', async () => {
    await giveFirstPage(page, /\/api\/account\/calls/, { calls: [CALL], next: 'more' });
    await page.goto('/console/generations');
    await button('Show older ones').click();
    await page.getByRole('alert').getByText('Too many requests.').waitFor();
    expect(await page.getByRole('row', { name: new RegExp(MODEL) }).count()).toBe(1);
    await page.unrouteAll();

    const desk = await bed.openPage();
    await giveFirstPage(desk, /\/admin\/v1\/orders/, { data: [ORDER], next: 'more' });
    await desk.goto('/console/operator/orders');
    await desk.getByLabel('Operator token').fill(ADMIN_TOKEN);
    await button('Enter', desk).click();
    await button('Show more', desk).click();
    await desk.getByRole('alert').getByText('Too many requests.').waitFor();
    expect(await desk.getByText(ORDER.id, { exact: true }).count()).toBe(1);
    await desk.context().close();
  });

  test('days are those that the reader sees, or are said to be those of UTC', async () => {
    const east = await bed.openPage();
    await (await east.context().newCDPSession(east)).send('Emulation.setTimezoneOverride', {
      timezoneId: 'Asia/Tokyo',
    });
    await bed.signIn(east, ann, `/console/org/${orgId}/audit-log?from=2026-01-02&to=2026-01-02`);
    const entry = {
      amountUsd: -1,
      balanceUsd: 9,
      note: null,
      reference: null,
      generationId: null,
      model: null,
      calls: 3,
    };
    await east.route('**/v1/statement*', (route) =>
      route.fulfill({
        json: {
          ...{ accountId: ann.userId, from: null, to: null, openingBalanceUsd: 10, closingBalanceUsd: 9, totals: [] },
          entries: [
            { ...entry, id: '2', kind: 'credit', at: '2026-01-01T20:40:00Z', calls: null },
            { ...entry, id: '1', kind: 'charge', at: '2026-01-01T20:30:00Z' },
          ],
          next: null,
        },
      }),
    );
    await within(east, '/console/statement?by=day');
    await east.getByRole('row', { name: /^1 Jan 2026, UTC Charge 3 calls/ }).waitFor();
    await east.getByRole('row', { name: /^1 Jan 2026, 20:40:00 UTC/ }).waitFor();
    const [asked] = await Promise.all([
      east.waitForRequest((request) => request.url().includes('/audit-log?')),
      within(east, `/console/org/${orgId}/audit-log?from=2026-01-03&to=2026-01-03`),
    ]);
    const { searchParams } = new URL(asked.url());
    expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
      '2026-01-02T15:00:00.000Z',
      '2026-01-03T15:00:00.000Z',
    ]);
    await east.context().close();
  });

  test('credit is ordered at the price that is shown, and again after the way back from the payment', async () => {
    const price = (amount: string | null) => ({
      ...{ channel: 'usd', creditUsd: Number(amount), feeUsd: 1, vatUsd: 0, roundingUsd: 0, currency: 'usd' },
      ...{ totalUsd: Number(amount) + 1, total: Number(amount) + 1, exchangeRate: '1' },
    });
    const held: Route[] = [];
    await page.route(/\/api\/account\/topups/, async (route) => {
      const { pathname, searchParams } = new URL(route.request().url());
      if (pathname.endsWith('/options')) return route.fulfill({ json: OFFER });
      if (pathname.endsWith('/quote') && searchParams.get('amountUsd') === '50') return void held.push(route);
      if (pathname.endsWith('/quote')) return route.fulfill({ json: price(searchParams.get('amountUsd')) });
      const order = { ...price('50'), ...ORDER, provider: 'fake', checkoutUrl: '#payment', paidAt: null };
      return route.fulfill({ json: route.request().method() === 'POST' ? order : { data: [], next: null } });
    });
    await page.goto('/console/credits');
    const pay = button('Go to the payment');
    await page.getByText('$26.00').waitFor();
    expect(await pay.isEnabled()).toBe(true);
    await button('$50').click();
    await expect.poll(() => held.length).toBe(1);
    expect(await pay.isEnabled()).toBe(false);
    await held[0]?.fulfill({ json: price('50') });
    await page.getByText('$51.00').waitFor();
    await pay.click();
    await page.waitForURL(/#payment$/);
    expect(await pay.isEnabled()).toBe(false);
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await expect.poll(() => pay.isEnabled()).toBe(true);
    await page.unrouteAll();
  });

  test('a conversation that is left while an answer comes is kept, and no empty one beside it', async () => {
    await page.goto('/console/playground');
    await page.route('**/v1/chat/completions', () => {});
    await page.getByLabel('Prompt').fill('What is left?');
    await button('Run').click();
    await button('Stop').waitFor();
    await button('New conversation').click();
    await page.getByText('Earlier conversations').click();
    const kept = page.getByRole('button', { name: /^Forget / });
    await expect.poll(() => kept.count()).toBe(1);
    expect(await kept.getAttribute('aria-label')).toBe('Forget What is left?');
    await page.unrouteAll();
  });

  test('a question shows no failure of an earlier one, and a link without days asks for them', async () => {
    await page.goto('/console/settings');
    await page.route('**/api/auth/logout-all', (route) =>
      route.fulfill({ status: 409, json: { error: { message: 'Not now.' } } }),
    );
    await button('Sign out everywhere').click();
    await button('Sign out everywhere', dialog()).click();
    await dialog().getByRole('alert').getByText('Not now.').waitFor();
    await button('Cancel', dialog()).click();
    await button('Sign out everywhere').click();
    expect(await dialog().getByRole('alert').count()).toBe(0);
    await page.unrouteAll();
    await page.goto('/console/usage?period=custom');
    await page.getByText('Choose the first and the last day.').waitFor();
  });
});
