// Pointing at a link fetches what its page will show, except what would be logged as reading: the page that is then
// opened fetches nothing else. The reading of operators is logged, so their links fetch only the page's code.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';

const MODEL = 'openai/priced';

let bed: ConsoleBed;
let page: Page;
let orgId = '';
/** Every request to the gateway since the list was last emptied, without the query. */
let calls: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { [MODEL]: { commands: 'tokens-1000-50' } } });
  const ada: Person = await bed.person('Ada');
  await bed.harness.operate('POST', '/admin/v1/operators', { email: ada.address, role: 'owner' });
  const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ada.userId });
  orgId = String(org.id);
  page = await bed.openPage();
  await bed.signIn(page, ada);
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(?:api|v1|admin)\//.test(pathname)) calls.push(`${request.method()} ${pathname}`);
  });
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  expect(bed?.complaints ?? []).toEqual([]);
  await bed?.close();
}, TEST_TIMEOUT_MS);

type QueryState = Readonly<{ queryKey: readonly unknown[] }>;
type Router = Readonly<{
  state: { status: string; location: { pathname: string } };
  options: { context: { queryClient: { isFetching: () => number; clear: () => void; getQueryCache: () => Cache } } };
}>;
type Cache = Readonly<{
  getAll: () => readonly (QueryState & { getObserversCount: () => number })[];
  remove: (query: QueryState) => void;
}>;

const settled = (): Promise<unknown> =>
  page.waitForFunction(() => {
    const { state, options } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__;
    return state.status === 'idle' && options.context.queryClient.isFetching() === 0;
  });

/** Drops cached answers that no part of the open page shows, so that whatever a link needs is fetched. */
const forgetTheRest = (): Promise<void> =>
  page.evaluate(() => {
    const { options } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__;
    const cache = options.context.queryClient.getQueryCache();
    for (const query of cache.getAll()) if (query.getObserversCount() === 0) cache.remove(query);
  });

const navigation = (name: string): Locator => page.getByRole('navigation', { name });

/** What the page asked for before and after it was opened by the link; some ask again every few seconds. */
async function openBy(link: Locator, point: (link: Locator) => Promise<void>): Promise<[Set<string>, Set<string>]> {
  await settled();
  await forgetTheRest();
  calls = [];
  await point(link);
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  await settled();
  const ahead = new Set(calls);
  calls = [];
  await link.click();
  await page.waitForURL(`**${await link.getAttribute('href')}`);
  await settled();
  return [ahead, new Set(calls)];
}

const hover = (link: Locator): Promise<void> => link.hover();
const focus = (link: Locator): Promise<void> => link.focus();

/** Fetched only once something else is known: the price of the amount that the offer proposes, and whom to ask. */
const LATER = new Set(['GET /api/account/topups/quote', 'GET /api/site']);

const beyond = (asked: ReadonlySet<string>, ahead: ReadonlySet<string>): readonly string[] =>
  [...asked].filter((call) => !ahead.has(call) && !LATER.has(call) && call !== 'GET /api/auth/session');

describe.skipIf(!hasChromium)('links that are pointed at', { timeout: TEST_TIMEOUT_MS }, () => {
  test('fetch all that the pages of a person ask for', async () => {
    const names = ['Keys', 'Models', 'Usage', 'Generations', 'Batches', 'Credits', 'Statement', 'Notices', 'Settings'];
    for (const name of [...names, 'Playground', 'Start']) {
      const link = navigation('Main').getByRole('link', { name, exact: true });
      const [ahead, asked] = await openBy(link, hover);
      expect(beyond(asked, ahead), name).toEqual([]);
    }
  });

  test('do so for the keyboard too', async () => {
    const link = navigation('Main').getByRole('link', { name: 'Keys', exact: true });
    const [ahead, asked] = await openBy(link, focus);
    expect([...ahead]).toEqual(['GET /api/account/keys']);
    expect(beyond(asked, ahead)).toEqual([]);
  });

  test('ask once, however often they are pointed at', async () => {
    await navigation('Main').getByRole('link', { name: 'Start', exact: true }).click();
    await settled();
    const link = navigation('Main').getByRole('link', { name: 'Settings', exact: true });
    await forgetTheRest();
    calls = [];
    for (let round = 0; round < 5; round += 1) {
      await link.hover();
      await page.getByRole('heading', { level: 1 }).hover();
    }
    await expect.poll(() => calls.length).toBeGreaterThanOrEqual(3);
    await settled();
    const count = calls.filter((call) => call === 'GET /api/auth/sessions').length;
    // A busy machine may take longer than the two seconds for which an answer is fresh.
    expect(count).toBeLessThan(5);
  });

  test('fetch all that the pages of an organization ask for', async () => {
    await page.goto(`/console/org/${orgId}`);
    await navigation('Main').getByRole('link', { name: 'Teams', exact: true }).waitFor();
    const links = await navigation('Main').locator(`a[href^="/console/org/${orgId}/"]`).all();
    expect(links.length).toBeGreaterThan(10);
    // Answers of the previous page are kept, and fetched again when they are old.
    let before: ReadonlySet<string> = new Set(['GET /v1/orgs']);
    for (const link of links) {
      const name = (await link.textContent()) ?? '';
      const [ahead, asked] = await openBy(link, hover);
      expect(beyond(asked, new Set([...before, ...ahead])), name).toEqual([]);
      before = new Set(['GET /v1/orgs', ...ahead, ...asked]);
    }
  });

  test('leave what operators read alone until it is opened', async () => {
    await page.goto('/console/operator/brake');
    await navigation('Operator').getByRole('link', { name: 'Users', exact: true }).waitFor();
    await settled();
    calls = [];
    for (const name of ['Users', 'Evidence', 'Organizations']) {
      const code = page.waitForResponse((response) => response.url().includes('/console/assets/'));
      await navigation('Operator').getByRole('link', { name, exact: true }).hover();
      await code;
    }
    await settled();
    expect(calls.filter((call) => !call.endsWith('/brake'))).toEqual([]);
  });
});
