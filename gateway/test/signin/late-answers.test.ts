// An answer to a sign-in is valid for a while, and for the issuer that was asked: an answer that comes later, or after
// the organization has chosen another issuer, signs nobody in and is not shown.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTown, type Town } from './people.ts';
import {
  begin,
  configure,
  hire,
  locationOf,
  makeOrganization,
  type Organization,
  startHostileIssuer,
} from './sign-on-bed.ts';

const records = new Map<string, string>();
let town: Town;
let acme: Organization;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => [[records.get(name) ?? '']];
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  acme = await makeOrganization(town, records, 'acme.example');
});

afterAll(async () => {
  await acme?.issuer.close();
  await town.close();
});

const end = (url: string): string => url.replace(town.harness.url, '');

test('the code of the issuer that was asked is not shown to the one that took its place', async () => {
  const { subject, email } = hire(acme);
  const browser = town.browser();
  const back = new URL(await acme.issuer.visit(locationOf(await begin(browser, email)), subject));
  // As from one of the many issuers that do not name themselves.
  back.searchParams.delete('iss');
  const hostile = await startHostileIssuer();
  expect((await configure(acme, { issuer: hostile.url })).status).toBe(200);
  expect(end(locationOf(await browser.get(end(back.href))))).toBe('/console/sign-in?error=failed');
  await configure(acme);
  await hostile.close();
  expect(hostile.heard).toEqual([]);
  expect(browser.cookieNames).not.toContain('tollgate_session');
});

test('after ten minutes the browser that began is not believed any more', async () => {
  const { subject, email } = hire(acme);
  const browser = town.browser();
  const back = await acme.issuer.visit(locationOf(await begin(browser, email)), subject);
  const before = acme.issuer.tokenRequests;
  town.clock.move(600_000);
  expect(end(locationOf(await browser.get(end(back))))).toBe('/console/sign-in?error=expired');
  expect(acme.issuer.tokenRequests).toBe(before);
});
