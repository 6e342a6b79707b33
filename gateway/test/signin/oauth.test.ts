// Signing in with an account at another site: whose user it is, and that it works only in the browser that began it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import type { Browser, Page } from './browser.ts';
import { FakeProvider } from './fake-provider.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

let site: FakeProvider;
let town: Town;
let lastId = 100;

beforeAll(async () => {
  site = new FakeProvider();
  const url = await site.listen();
  town = await openTown({
    env: {
      GITHUB_CLIENT_ID: 'github-client',
      GITHUB_CLIENT_SECRET: 'github-secret',
      GITHUB_OAUTH_BASE: url,
      GITHUB_API_BASE: url,
      GOOGLE_CLIENT_ID: 'google-client',
      GOOGLE_CLIENT_SECRET: 'google-secret',
      GOOGLE_OAUTH_BASE: url,
    },
  });
});

afterAll(async () => {
  expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
  await town.close();
  await site.close();
});

beforeEach(() => {
  lastId += 1;
  site.account = { id: lastId, email: town.newAddress(), isVerified: true, name: 'Ann' };
  site.failure = null;
});

async function begin(browser: Browser, provider = 'github', query = ''): Promise<string> {
  const begun = await browser.get(`/api/auth/oauth/${provider}${query}`);
  expect(begun.status).toBe(302);
  return begun.headers.get('location') ?? '';
}

async function signIn(browser: Browser, provider = 'github', query = ''): Promise<Page> {
  return browser.get(site.agree(await begin(browser, provider, query)));
}

const whoIs = async (browser: Browser): Promise<Json> => (await browser.get('/api/auth/session')).body.user as Json;
const errorOf = (page: Page): string | null =>
  new URL(page.headers.get('location') ?? 'http://none').searchParams.get('error');

test('the sites that are set up are offered, and no other exists', async () => {
  const answer = await town.browser().get('/api/auth/providers');
  expect(answer.body).toEqual({
    providers: [
      { id: 'github', name: 'GitHub', url: '/api/auth/oauth/github' },
      { id: 'google', name: 'Google', url: '/api/auth/oauth/google' },
    ],
  });
  expect((await town.browser().get('/api/auth/oauth/other')).status).toBe(404);
  expect((await town.browser().get('/api/auth/oauth/__proto__/callback')).status).toBe(404);
});

describe.each(['github', 'google'])('%s', (provider) => {
  test('a new person gets a user, an empty account and a session; the next time it is the same user', async () => {
    const browser = town.browser();
    const back = await signIn(browser, provider, '?returnTo=/console/keys');
    expect([back.status, back.headers.get('location')]).toEqual([302, `${town.harness.url}/console/keys`]);
    expect(browser.cookieNames).toEqual(['tollgate_session']);
    const user = await whoIs(browser);
    expect(user).toMatchObject({ email: site.account.email, name: 'Ann' });
    const accounts = await town.rows('select balance_nano_usd from accounts where id = $1', [user.id]);
    expect(accounts).toEqual([{ balance_nano_usd: '0' }]);

    // Another address there later is still the same account.
    site.account = { ...site.account, email: town.newAddress() };
    const later = town.browser();
    await signIn(later, provider);
    expect((await whoIs(later)).id).toBe(user.id);
    expect(site.seen.secrets.at(-1)).toBe(`${provider}-secret`);
  });

  test('the proven address of a user of ours is that user; an unproven one is nobody', async () => {
    const { userId, address } = await town.operatorUser();
    site.account = { ...site.account, email: address.toUpperCase(), isVerified: false };
    const stranger = town.browser();
    expect(errorOf(await signIn(stranger, provider))).toBe('unverified');
    expect(stranger.cookieNames).toEqual([]);
    site.account = { ...site.account, isVerified: true };
    const browser = town.browser();
    await signIn(browser, provider);
    expect((await whoIs(browser)).id).toBe(userId);
  });
});

test('the request to the site carries a state and a challenge, and no secret', async () => {
  const browser = town.browser();
  const url = new URL(await begin(browser));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'github-client',
    redirect_uri: `${town.harness.url}/api/auth/oauth/github/callback`,
    scope: 'read:user user:email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(browser.cookie('tollgate_oauth')).not.toContain(url.searchParams.get('state') ?? '');
});

test('a link from somebody else s sign-in is worthless in another browser', async () => {
  const attacker = town.browser();
  const link = site.agree(await begin(attacker));
  const victim = town.browser();
  expect(errorOf(await victim.get(link))).toBe('expired');
  await begin(victim);
  expect(errorOf(await victim.get(link))).toBe('expired');
  expect(victim.cookieNames).toEqual([]);
});

test('a sign-in begun for one site does not end at another, and not after ten minutes', async () => {
  const browser = town.browser();
  const link = site.agree(await begin(browser));
  expect(errorOf(await browser.get(link.replace('github', 'google')))).toBe('expired');

  const late = town.browser();
  const lateLink = site.agree(await begin(late));
  town.clock.move(600_001);
  expect(errorOf(await late.get(lateLink))).toBe('expired');
});

test('a code works once, a refusal and a broken site lead back to the sign-in page', async () => {
  const browser = town.browser();
  const link = site.agree(await begin(browser));
  const memory = browser.cookie('tollgate_oauth') ?? '';
  expect(errorOf(await browser.get(link))).toBeNull();
  const again = town.browser();
  again.setCookie('tollgate_oauth', memory);
  expect(errorOf(await again.get(link))).toBe('failed');

  expect(errorOf(await browser.get('/api/auth/oauth/github/callback?error=access_denied'))).toBe('denied');
  for (const failure of [
    { status: 500, body: {} },
    { status: 200, body: 'nonsense' },
    { status: 200, body: { access_token: 'x'.repeat(300_000) } },
  ]) {
    site.failure = failure;
    const page = await signIn(town.browser());
    expect(errorOf(page)).toBe('failed');
    expect(page.headers.get('location')).toMatch(/\/console\/sign-in\?error=failed$/);
  }
});

test('a suspended person stays out', async () => {
  const { userId, address } = await town.operatorUser();
  await town.harness.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
  site.account = { ...site.account, email: address };
  const browser = town.browser();
  expect(errorOf(await signIn(browser))).toBe('suspended');
  expect(browser.cookieNames).toEqual([]);
});

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/%0d%0aSet-Cookie:x', 'console', ''])(
  'afterwards the browser goes to no other site: %j',
  async (returnTo) => {
    const page = await signIn(
      town.browser(),
      'github',
      `?returnTo=${encodeURIComponent(decodeURIComponent(returnTo))}`,
    );
    expect(page.headers.get('location')).toBe(`${town.harness.url}/console/`);
  },
);

test('whoever signs in with another site alone sets a password by mail', async () => {
  const browser = town.browser();
  await signIn(browser);
  const { email } = site.account;
  const change = { currentPassword: '', newPassword: PASSWORD };
  expect((await browser.post('/api/auth/change-password', change)).status).toBe(403);
  await browser.post('/api/auth/forgot-password', { email });
  await browser.post('/api/auth/reset-password', { token: await town.token(email), password: PASSWORD });
  expect((await town.browser().post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200);
});
