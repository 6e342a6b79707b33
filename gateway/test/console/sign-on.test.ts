// Single sign-on in the console: a domain is proven, an issuer is named, and both are removed only after a question
// that was answered with yes.

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../signin/issuer.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, TEST_TIMEOUT_MS, untilTold } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

let bed: ConsoleBed;
let page: Page;
let issuer: TestIssuer;
let orgId = '';
const records = new Map<string, string>();

beforeAll(async () => {
  if (!hasChromium) return;
  const resolveTxt = async (name: string): Promise<string[][]> => {
    const value = records.get(name);
    if (value === undefined) throw new Error(`there is no record ${name}`);
    return [[value]];
  };
  bed = await openConsole({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  const ann = await bed.person('Ann');
  const wish = { name: 'Acme', ownerUserId: ann.userId };
  orgId = String((await bed.harness.operate('POST', '/admin/v1/orgs', wish)).id);
  issuer = await TestIssuer.start(`${bed.harness.url}/api/auth/sso/callback/${orgId}`);
  page = await bed.openPage();
  await bed.signIn(page, ann);
  await page.goto(`/console/org/${orgId}/sign-on`);
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await bed?.close();
  await issuer?.close();
}, TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const button = (name: string, place: Page | Locator = page): Locator =>
  place.getByRole('button', { name, exact: true });

/** What the gateway answers to this person, past the page. */
const kept = (path: string): Promise<Record<string, unknown>> =>
  page.evaluate(async (address) => (await fetch(address)).json(), `/api/orgs/${orgId}${path}`);

/** Opens the question, answers it with no and asks again: the dialog that is left open. */
async function askTwice(label: string, after: () => Promise<void>): Promise<Locator> {
  await button(label).click();
  const dialog = page.getByRole('dialog', { name: `${label}?` });
  await dialog.waitFor();
  expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  await button('Cancel', dialog).click();
  await dialog.waitFor({ state: 'hidden' });
  await after();
  await button(label).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await after();
  await button(label).click();
  await dialog.waitFor();
  return dialog;
}

describe.skipIf(!hasChromium)('single sign-on', { timeout: TEST_TIMEOUT_MS }, () => {
  test('a domain is confirmed once its record is published', async () => {
    await page.getByLabel('Domain', { exact: true }).fill('acme.example');
    await button('Add the domain').click();
    await button('Check now: acme.example').click();
    await page.getByRole('alert').waitFor();
    const [name = '', , value = ''] = ((await page.getByText(/^_tollgate\./).textContent()) ?? '').split(' ');
    records.set(name, value.replaceAll('"', ''));
    await button('Check now: acme.example').click();
    await page.getByText('acme.example is confirmed.').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
  });

  test('an issuer is named, and removed after a question, and stays when that is answered with no', async () => {
    await page.getByLabel('Issuer', { exact: true }).fill(issuer.url);
    await page.getByLabel('Client id').fill(issuer.clientId);
    await page.getByLabel('Client secret').fill(issuer.clientSecret);
    await untilTold(page, 'Single sign-on is saved.', () => button('Save').click());
    const dialog = await askTwice('Remove the issuer', async () => {
      expect(await kept('/sign-on')).toMatchObject({ signOn: { issuer: issuer.url } });
    });
    await button('Remove the issuer', dialog).click();
    await page.getByText('Single sign-on is removed.').waitFor();
    await button('Remove the issuer').waitFor({ state: 'detached' });
    expect(await kept('/sign-on')).toMatchObject({ signOn: null });
  });

  test('a domain is removed after a question, and stays when that is answered with no', async () => {
    const dialog = await askTwice('Remove acme.example', async () => {
      expect(await kept('/domains')).toMatchObject({ domains: [{ domain: 'acme.example' }] });
    });
    await button('Remove the domain', dialog).click();
    await page.getByText('acme.example is removed.').waitFor();
    await button('Remove acme.example').waitFor({ state: 'detached' });
    expect(await kept('/domains')).toEqual({ domains: [] });
    expect(bed.unpublishedCalls()).toEqual([]);
  });
});
