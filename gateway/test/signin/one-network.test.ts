// Many people behind one address: a company that signs in through another site, the server of an application that
// fetches its users' keys. Only what never comes back, or is not valid, makes their network wait.

import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from './authenticator-app.ts';
import type { Page } from './browser.ts';
import { FakeProvider } from './fake-provider.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

/** How many sign-ins of a network may stay unfinished before it has to wait. */
const FREE = 200;

let site: FakeProvider;
let town: Town;

beforeAll(async () => {
  site = new FakeProvider();
  const url = await site.listen();
  const client = { GITHUB_CLIENT_ID: 'github-client', GITHUB_CLIENT_SECRET: 'github-secret' };
  town = await openTown({ env: { ...client, GITHUB_OAUTH_BASE: url, GITHUB_API_BASE: url } });
  town.clock.stop();
});

afterAll(async () => {
  await town.close();
  await site.close();
});

const begin = (browser = town.browser()): Promise<Page> => browser.get('/api/auth/oauth/github');

async function signIn(id: number): Promise<string> {
  site.account = { id, email: town.newAddress(), isVerified: true, name: 'Ann' };
  const browser = town.browser();
  const begun = await begin(browser);
  expect(begun.status).toBe(302);
  const back = await browser.get(site.agree(begun.headers.get('location') ?? ''));
  return back.headers.get('location') ?? '';
}

test('people who come back from another site do not use up the attempts of their network', async () => {
  const begun = await Promise.all(Array.from({ length: FREE - 1 }, () => begin()));
  expect(new Set(begun.map(({ status }) => status))).toEqual(new Set([302]));
  for (const id of [1, 2, 3]) expect(await signIn(id)).toBe(`${town.harness.url}/console/`);
});

test('a network that has to wait gets keys for valid codes and challenges for steps, no more guesses, and a reason where it signs in', async () => {
  const ann = await town.operatorUser();
  const { secret } = (await ann.browser.post('/api/auth/factors/totp', { password: PASSWORD })).body;
  const code = codeOf(String(secret), town.clock.nowMs());
  expect((await ann.browser.post('/api/auth/factors/totp/confirm', { code })).status).toBe(200);
  const atStep = town.browser();
  await atStep.post('/api/auth/login', { email: ann.address, password: PASSWORD });
  const verifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  const agreed = await ann.browser.post('/api/account/applications', {
    ...{ callbackUrl: 'https://app.example/callback', codeChallenge, codeChallengeMethod: 'S256' },
    ...{ limitUsd: null, limitReset: null, expiresInDays: null },
  });
  const grant = new URL(String(agreed.body.redirectTo)).searchParams.get('code');
  const waits = `${town.harness.url}/console/sign-in?error=throttled`;
  while ((await begin()).headers.get('location') !== waits);
  const signOn = await town.browser().get('/api/auth/sso?issuer=platform');
  expect([signOn.status, signOn.headers.get('location')]).toEqual([302, waits]);

  const exchange = (value: string | null) =>
    town.harness.request('POST', '/v1/auth/keys', { body: { code: value, code_verifier: verifier } });
  expect((await exchange('a guess')).status).toBe(429);
  expect((await exchange(grant)).status).toBe(200);
  // The person has no passkey, and is told so.
  expect((await atStep.post('/api/auth/second-factor/passkey', {})).status).toBe(404);
});
