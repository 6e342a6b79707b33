// An issuer that an organization no longer has speaks for nobody: whoever came in through it is signed out.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import type { Browser } from './browser.ts';
import { openTown, type Town } from './people.ts';
import { begin, configure, hire, locationOf, makeOrganization, type Organization } from './sign-on-bed.ts';

const records = new Map<string, string>();
let town: Town;
let acme: Organization;
let globex: Organization;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => [[records.get(name) ?? '']];
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  acme = await makeOrganization(town, records, 'acme.example');
  globex = await makeOrganization(town, records, 'globex.example');
});

afterAll(async () => {
  await acme?.issuer.close();
  await globex?.issuer.close();
  await town.close();
});

/** Whoever asks too often is refused as well, with another status. */
const statusOf = async (browser: Browser): Promise<number> => (await browser.get('/api/auth/session')).status;

const members = async (): Promise<number> =>
  (await town.rows('select 1 from org_members where org_id = $1', [acme.orgId])).length;

const endings = {
  removed: () => acme.admin.request('DELETE', `/api/orgs/${acme.orgId}/sign-on`),
  replaced: () => configure(acme, { issuer: globex.issuer.url }),
};

test.each(Object.entries(endings))(
  'people of an issuer that is %s are signed out, and stay members',
  async (_, end) => {
    const { subject, email } = hire(acme);
    const browser = town.browser();
    const back = await acme.issuer.visit(locationOf(await begin(browser, email)), subject);
    await browser.get(back.replace(town.harness.url, ''));
    expect(await statusOf(browser)).toBe(200);
    // The same person in another browser, who has shown no second factor yet.
    const begun = await browser.post('/api/auth/factors/totp', {});
    const codeNow = (): string => codeOf(String(begun.body.secret), town.clock.nowMs());
    const confirmed = await browser.post('/api/auth/factors/totp/confirm', { code: codeNow() });
    expect(confirmed.status, confirmed.text).toBe(200);
    const waiting = town.browser();
    const step = await acme.issuer.visit(locationOf(await begin(waiting, email)), subject);
    const page = await waiting.get(step.replace(town.harness.url, ''));
    expect(locationOf(page)).toContain('/console/second-factor');
    const before = await members();
    expect((await end()).status).toBeLessThan(300);
    await expect.poll(() => statusOf(browser)).toBe(401);
    town.clock.move(30_000);
    const late = await waiting.post('/api/auth/second-factor', { code: codeNow() });
    expect([late.status, late.body.user]).toEqual([401, undefined]);
    expect(await members()).toBe(before);
    expect((await configure(acme)).status).toBe(200);
  },
);
