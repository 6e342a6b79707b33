// Operators are offered what their role may do, and nothing that the gateway would refuse them after they have filled
// in a form.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';

const MODEL = 'openai/priced';

/** What a page offers to an owner, and what of it somebody of support is offered too. */
type Offer = Readonly<{ path: string; owner: readonly string[]; support: readonly string[]; tab?: string }>;

let bed: ConsoleBed;
let offers: readonly Offer[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole({ models: { [MODEL]: { commands: 'tokens-1000-50' } } });
  const ann = await bed.person('Ann');
  const org = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ann.userId });
  await bed.harness.operate('POST', `/admin/v1/users/${ann.userId}/keys`, { name: 'laptop' });
  await bed.harness.operate('POST', '/admin/v1/codes', { count: 2, amountUsd: '3', note: 'Workshop' });
  const money = ['Adjust', 'Give credit'];
  offers = [
    { path: 'providers', owner: ['Test sim', 'Keys of sim'], support: ['Keys of sim'] },
    { path: 'catalog', owner: ['Add a model', `Edit ${MODEL}`], support: [] },
    { path: 'catalog', tab: 'Providers', owner: ['Add a provider', 'Edit sim'], support: [] },
    { path: 'catalog', tab: 'Settings', owner: ['Review the change'], support: [] },
    { path: 'catalog', tab: 'Whole document', owner: ['Review the change', 'Discard'], support: [] },
    { path: 'auto-router', owner: ['Add'], support: [] },
    { path: 'brake', owner: ['Set the brake'], support: [] },
    { path: 'notices', owner: ['New address'], support: [] },
    { path: 'feeds', owner: ['New feed'], support: [] },
    { path: 'operators', owner: ['Appoint', 'Dismiss Sue'], support: [] },
    { path: 'users', owner: ['New user'], support: ['New user'] },
    { path: 'orgs', owner: ['New organization'], support: ['New organization'] },
    { path: 'codes', owner: ['New codes', 'Withdraw'], support: ['Withdraw'] },
    {
      path: `users/${ann.userId}`,
      owner: ['Suspend', ...money, 'New key', 'Delete laptop'],
      support: ['Suspend', ...money, 'Delete laptop'],
    },
    { path: `orgs/${org.id}`, owner: ['Suspend', ...money, 'Save'], support: money },
  ];
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

async function operator(name: string, role: string): Promise<Page> {
  const person: Person = await bed.person(name);
  await bed.harness.operate('POST', '/admin/v1/operators', { email: person.address, role });
  const page = await bed.openPage();
  await bed.signIn(page, person);
  return page;
}

/** Which of a page's offers are there, once it has everything that it asked for. */
async function found(page: Page, { path, tab, owner }: Offer): Promise<readonly string[]> {
  await page.goto(`/console/operator/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  if (tab !== undefined) await page.getByRole('tab', { name: tab, exact: true }).click();
  const main = page.getByRole('main');
  const isThere = await Promise.all(
    owner.map(async (name) => (await main.getByRole('button', { name, exact: true }).count()) > 0),
  );
  return owner.filter((_, index) => isThere[index]);
}

const allFound = async (page: Page): Promise<Record<string, readonly string[]>> => {
  const names: Record<string, readonly string[]> = {};
  for (const offer of offers) names[`${offer.path} ${offer.tab ?? ''}`] = await found(page, offer);
  return names;
};

const expected = (part: (offer: Offer) => readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(offers.map((offer) => [`${offer.path} ${offer.tab ?? ''}`, part(offer)]));

describe.skipIf(!hasChromium)('an operator is offered what the role may do', { timeout: TEST_TIMEOUT_MS }, () => {
  test('somebody of support changes customers, and neither prices nor providers nor operators', async () => {
    const page = await operator('Sue', 'support');
    expect(await allFound(page)).toEqual(expected(({ support }) => support));
    await page.goto('/console/operator/providers/connect');
    await page.getByText('Only an owner can connect a provider.').waitFor();
    await page.goto('/console/operator/brake');
    expect(await page.getByRole('switch', { name: 'The brake is on' }).isDisabled()).toBe(true);
  });

  test('an owner is offered all of it', async () => {
    expect(await allFound(await operator('Olga', 'owner'))).toEqual(expected(({ owner }) => owner));
  });

  test('whoever may only read is offered no change', async () => {
    const page = await operator('Rita', 'read_only');
    const keys = ({ support }: Offer) => support.filter((name) => name.startsWith('Keys of'));
    expect(await allFound(page)).toEqual(expected(keys));
    await page.getByText('You may look at everything here and change nothing.').waitFor();
  });
});
