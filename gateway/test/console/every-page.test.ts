// Every page of the console's router is accessible, in light and in dark and at the width of a phone. The list comes
// from the router that the browser has loaded, so a new page is checked without a change here.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';
import { checkPage, NO_PROBLEMS, type PageProblems } from './page-checks.ts';

const MODEL = 'openai/priced';

type Route = Readonly<{ id: string; fullPath: string; children?: unknown }>;

/** What the browser's router says of itself. */
type Router = Readonly<{
  routesById: Record<string, Route>;
  state: { status: string; matches: readonly { fullPath: string; status: string }[] };
  options: { context: { queryClient: { isFetching: () => number; isMutating: () => number } } };
}>;

let bed: ConsoleBed;
/** A user who may see everything: a customer with an organization who is an operator too. */
let page: Page;
let guest: Page;
/** Values for the variable parts of addresses. */
let values: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { [MODEL]: { commands: 'tokens-1000-50' } } });
  const ada: Person = await bed.person('Ada');
  await bed.harness.operate('POST', '/admin/v1/operators', { email: ada.address, role: 'owner' });
  const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ada.userId });
  const made = await bed.harness.operate('POST', `/admin/v1/users/${ada.userId}/keys`, { name: 'laptop' });
  const { body } = await bed.chat(String(made.key), MODEL);
  values = { slug: 'openai-priced', id: String(body.id), orgId: String(org.id), userId: ada.userId };
  [page, guest] = await Promise.all([bed.openPage(), bed.openPage()]);
  await bed.signIn(page, ada);
  await guest.goto('/console/sign-in');
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  expect(bed?.complaints ?? []).toEqual([]);
  expect(bed?.unpublishedCalls()).toEqual([]);
  await bed?.close();
}, TEST_TIMEOUT_MS);

/** The addresses of all pages by the part of the console that they belong to: none is left out. */
const PARTS = { guests: /^\/guest\//, operators: /^\/operator/, organizations: /\/org\//, people: /./ } as const;
type Part = keyof typeof PARTS;

async function pagesOf(part: Part): Promise<readonly string[]> {
  const pages = await page.evaluate(() => {
    const { routesById } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__;
    return Object.values(routesById)
      .filter(({ children }) => children === undefined)
      .map(({ id, fullPath }) => ({ id, fullPath }));
  });
  const partOf = (id: string) => (Object.keys(PARTS) as Part[]).find((name) => PARTS[name].test(id));
  return pages.filter(({ id }) => partOf(id) === part).map(({ fullPath }) => fullPath);
}

/** Waits until the page has everything that it asked for. */
const stands = (where: Page, fullPath: string): Promise<unknown> =>
  where.waitForFunction((wanted) => {
    const { state, options } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__;
    const { queryClient } = options.context;
    const shown = state.matches.at(-1);
    const isThere = shown?.fullPath === wanted && shown.status === 'success' && state.status === 'idle';
    const isStill = queryClient.isFetching() === 0 && queryClient.isMutating() === 0;
    return isThere && isStill && document.querySelector('h1') !== null;
  }, fullPath);

const addressOf = (path: string): string =>
  `/console${path.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing stands for $${name} of ${path}`);
    return value;
  })}`;

describe.skipIf(!hasChromium)('every page of the router', { timeout: TEST_TIMEOUT_MS }, () => {
  test.each(Object.keys(PARTS) as Part[])(
    'for %s has no barriers in both themes, and fits on a phone',
    async (part) => {
      const paths = await pagesOf(part);
      expect(paths.length).toBeGreaterThan(5);
      const where = part === 'guests' ? guest : page;
      const problems: Record<string, PageProblems> = {};
      for (const path of paths) {
        await where.evaluate((next) => window.history.pushState({}, '', next), addressOf(path));
        await stands(where, path).catch((error: unknown) => {
          throw new Error(`${path} does not stand`, { cause: error });
        });
        problems[path] = await checkPage(where);
      }
      expect(problems).toEqual(Object.fromEntries(paths.map((path) => [path, NO_PROBLEMS])));
    },
  );
});
