// The platform's own issuer: everybody whom it knows by a verified address may sign in, without becoming a member, and
// it does not act for organizations.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { TestIssuer } from './issuer.ts';
import { openTown, type Town } from './people.ts';

const SITE = 'http://gateway.example';

let issuer: TestIssuer;
let town: Town;

beforeAll(async () => {
  issuer = await TestIssuer.start(`${SITE}/api/auth/sso/callback`);
  town = await openTown({
    env: {
      TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
      TOLLGATE_SITE_URL: SITE,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      OIDC_ISSUER: issuer.url,
      OIDC_NAME: 'Acme Login',
    },
  });
});
afterAll(async () => {
  await town?.close();
  await issuer?.close();
});

async function signOn(subject: string, browser: Browser = town.browser()): Promise<string> {
  const begun = await browser.get('/api/auth/sso?issuer=platform');
  const back = await issuer.visit(begun.headers.get('location') ?? '', subject);
  const page = await browser.get(back.replace(SITE, ''));
  return (page.headers.get('location') ?? '').replace(SITE, '');
}

test('it is offered under its name, and lets in whoever it knows, as nobody’s member', async () => {
  const { body } = await town.browser().get('/api/auth/providers');
  expect(JSON.stringify(body)).toContain('Acme Login');
  expect(JSON.stringify(body)).not.toContain(issuer.clientSecret);
  issuer.people.set('ann', { email: 'ann@anywhere.example', email_verified: true, name: 'Ann' });
  const browser = town.browser();
  expect(await signOn('ann', browser)).toBe('/console/');
  const session = (await browser.get('/api/auth/session')).body;
  expect(session).toMatchObject({ user: { email: 'ann@anywhere.example' }, organizations: [] });
  // The same person again is the same account.
  const again = town.browser();
  await signOn('ann', again);
  expect(((await again.get('/api/auth/session')).body.user as Json).id).toBe((session.user as Json).id);
});

test('an address that it has not verified, or does not speak of, is nobody’s', async () => {
  for (const email_verified of [false, undefined, 'true']) {
    issuer.people.set('eve', { email: 'eve@anywhere.example', email_verified });
    expect(await signOn('eve')).toBe('/console/sign-in?error=unverified');
  }
});
