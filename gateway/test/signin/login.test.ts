// Signing in: what the cookie looks like, what a stranger learns, and how guesses have to wait.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyPassword } from '../../src/modules/identity/password.ts';
import type { Passwords } from '../../src/modules/signin/password-flows.ts';
import type { Json } from '../harness.ts';
import { Browser } from './browser.ts';
import { openParts, openTown, PASSWORD, type Town } from './people.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown({
    env: { TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterAll(() => town.close());

let lastSource = 0;
/** Another machine, so that the guesses of one test do not count for the next. */
const newSource = (): Record<string, string> => {
  lastSource += 1;
  return { 'X-Real-IP': `192.0.2.${lastSource}` };
};

const logIn = (email: string, password: string, source = newSource()) =>
  town.browser().request('POST', '/api/auth/login', { email, password }, source);

test('AUTH-15 the cookie is for this host, for no script, and for HTTP without a prefix', async () => {
  const { address } = await town.operatorUser();
  const { cookies } = await logIn(address, PASSWORD);
  expect(cookies).toHaveLength(2);
  expect(cookies[0]).toMatch(/^tollgate_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
  expect(cookies[1]).toMatch(
    /^tollgate_device=[\w-]{22}\.[\w-]{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
  );
});

test('AUTH-15 over HTTPS the cookie is bound to the host by its name, and the bare name means nothing', async () => {
  const secure = await openTown({ env: { TOLLGATE_SITE_URL: 'https://gate.example' } });
  try {
    const email = secure.newAddress();
    await secure.harness.operate('POST', '/admin/v1/users', { email, name: 'Bo', password: PASSWORD });
    const browser = new Browser(secure.harness, 'https://gate.example');
    const { cookies } = await browser.post('/api/auth/login', { email, password: PASSWORD });
    expect(cookies[0]).toMatch(
      /^__Host-tollgate_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await browser.get('/api/auth/session')).status).toBe(200);
    const bare = new Browser(secure.harness, 'https://gate.example');
    bare.setCookie('tollgate_session', browser.cookie('__Host-tollgate_session') ?? '');
    expect((await bare.get('/api/auth/session')).status).toBe(401);
    // The address the gateway listens on is not the site.
    browser.origin = secure.harness.url;
    expect((await browser.post('/api/auth/logout')).status).toBe(403);
  } finally {
    await secure.close();
  }
});

test('an unknown address and a wrong password get the same answer', async () => {
  const { address } = await town.operatorUser();
  const withoutPassword = town.newAddress();
  await town.harness.operate('POST', '/admin/v1/users', { email: withoutPassword, name: 'Bo' });
  const answers = await Promise.all([
    logIn(address, 'not the password'),
    logIn(town.newAddress(), 'not the password'),
    logIn(withoutPassword, 'not the password'),
  ]);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(401);
  expect(answers.flatMap(({ cookies }) => cookies)).toEqual([]);
});

test('one comparison of passwords is made whatever is known of the address', async () => {
  let comparisons = 0;
  const verify: Passwords['verify'] = (...input) => {
    comparisons += 1;
    return verifyPassword(...input);
  };
  const { signIn, close } = await openParts(town, verify);
  try {
    const { address } = await town.operatorUser();
    const waiting = town.newAddress();
    await signIn.signUp({ email: waiting, emailNormalized: waiting, name: 'Ann' });
    const outcomes: string[] = [];
    for (const [email, password] of [
      [address, PASSWORD],
      [address, 'not the password'],
      [waiting, PASSWORD],
      [waiting, 'not the password'],
      [town.newAddress(), PASSWORD],
    ] as const) {
      outcomes.push((await signIn.checkPassword({ emailNormalized: email, password, source: 'test' })).outcome);
      expect(comparisons).toBe(outcomes.length);
    }
    expect(outcomes).toEqual(['right', 'wrong', 'wrong', 'wrong', 'wrong']);
  } finally {
    await close();
  }
});

test('a suspended person is told so when the password is right, and a session of theirs ends at once', async () => {
  const { address, browser, userId } = await town.operatorUser();
  expect((await browser.get('/api/auth/session')).status).toBe(200);
  await town.harness.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
  expect((await browser.get('/api/auth/session')).status).toBe(403);
  expect((await logIn(address, PASSWORD)).status).toBe(403);
  expect((await logIn(address, 'not the password')).status).toBe(401);
  await town.harness.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: false });
  expect((await browser.get('/api/auth/session')).status).toBe(200);
});

test('guesses at one address are slowed down from everywhere, longer each time, and a right password forgives', async () => {
  const { address } = await town.operatorUser();
  town.clock.stop();
  onTestFinished(() => town.clock.goOn());
  const guesses = await Promise.all(Array.from({ length: 12 }, () => logIn(address, 'a guess')));
  const judged = guesses.filter(({ status }) => status === 401);
  const refused = guesses.filter(({ status }) => status === 429);
  expect([judged.length, refused.length]).toEqual([5, 7]);
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  // Even the right password has to wait; otherwise it could be told from the wrong ones.
  expect((await logIn(address, PASSWORD)).status).toBe(429);

  town.clock.move(5_000);
  expect((await logIn(address, 'a guess')).status).toBe(401);
  const longer = await logIn(address, 'a guess');
  expect([longer.status, longer.headers.get('retry-after')]).toEqual([429, '10']);

  town.clock.move(10_000);
  expect((await logIn(address, PASSWORD)).status).toBe(200);
  expect((await logIn(address, 'a guess')).status).toBe(401);
  expect((await logIn(address, PASSWORD)).status).toBe(200);
});

test('strangers who guess from everywhere, and ask for mails, do not lock the owner out', async () => {
  const { address, browser } = await town.operatorUser();
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 4 }, () => logIn(address, 'a guess')));
    await town.browser().request('POST', '/api/auth/forgot-password', { email: address }, newSource());
  }
  // Each guess that is allowed makes the wait longer, until it is minutes, which even a busy machine cannot reach.
  for (let waitSeconds = 0; waitSeconds < 120; ) {
    town.clock.move(waitSeconds * 1000);
    waitSeconds = Number((await logIn(address, 'a guess')).headers.get('retry-after') ?? 0);
  }
  expect((await logIn(address, PASSWORD)).status).toBe(429);
  // A device that has signed in before is counted by itself, and so are guesses with it.
  const again = await browser.request('POST', '/api/auth/login', { email: address, password: PASSWORD }, newSource());
  expect(again.status).toBe(200);
  // Another person's device counts as a stranger here.
  const other = await town.operatorUser();
  const foreign = await other.browser.request(
    'POST',
    '/api/auth/login',
    { email: address, password: PASSWORD },
    newSource(),
  );
  expect(foreign.status).toBe(429);
  // And in the mailbox is a link that works.
  const token = await town.token(address);
  const reset = await town
    .browser()
    .request('POST', '/api/auth/reset-password', { token, password: 'a new long password' }, newSource());
  expect(reset.status).toBe(200);
  expect((await logIn(address, 'a new long password')).status).toBe(200);
  const mails = await town.rows('select 1 from mail_outbox where recipient = $1', [address]);
  // The link, and the note that the password is new.
  expect(mails).toHaveLength(2);
});

test('a mailed link works from a source that has tried many that were none', async () => {
  const { address } = await town.operatorUser();
  const source = newSource();
  const guest = town.browser();
  await guest.request('POST', '/api/auth/forgot-password', { email: address }, source);
  const resetWith = async (token: string): Promise<number> =>
    (await guest.request('POST', '/api/auth/reset-password', { token, password: 'a new long password' }, source))
      .status;
  const statuses: number[] = [];
  for (let round = 0; round < 8; round += 1) {
    statuses.push(...(await Promise.all(Array.from({ length: 30 }, () => resetWith('A'.repeat(43))))));
  }
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(await resetWith(await town.token(address))).toBe(200);
});

test('the wait has an end, so that nobody can lock somebody out for good', async () => {
  const { address } = await town.operatorUser();
  let longestSeconds = 0;
  for (let round = 0; round < 14; round++) {
    const answer = await logIn(address, 'a guess');
    const waitSeconds = Number(answer.headers.get('retry-after') ?? 0);
    longestSeconds = Math.max(longestSeconds, waitSeconds);
    town.clock.move(waitSeconds * 1000);
  }
  expect(longestSeconds).toBeLessThanOrEqual(900);
  expect((await logIn(address, PASSWORD)).status).toBe(200);
});

test('one source that tries many addresses is slowed down, and others are not', async () => {
  const source = { 'X-Real-IP': '198.51.100.7' };
  const guesses = await Promise.all(Array.from({ length: 32 }, () => logIn(town.newAddress(), 'x', source)));
  const statuses = guesses.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429, 429]);
  expect((await logIn(town.newAddress(), 'x')).status).toBe(401);
});

test('a form of another site is refused before anything is judged', async () => {
  const { address } = await town.operatorUser();
  const body = { email: address, password: PASSWORD };
  const browser = town.browser();
  for (const origin of ['https://evil.example', 'null', `${town.harness.url}.evil.example`, 'not an origin']) {
    browser.origin = origin;
    expect((await browser.post('/api/auth/login', body)).status, origin).toBe(403);
  }
  browser.origin = town.harness.url;
  const form = { 'Content-Type': 'text/plain' };
  expect((await browser.request('POST', '/api/auth/login', JSON.stringify(body), form)).status).toBe(415);
  expect(browser.cookieNames).toEqual([]);
  // A program sends no Origin.
  browser.origin = null;
  expect((await browser.post('/api/auth/login', body)).status).toBe(200);
});

test('signing in again ends the session that the browser had, and the new secret is another', async () => {
  const { address, browser } = await town.operatorUser();
  const before = Browser.withCookiesOf(browser, town.harness);
  await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  expect(browser.cookie('tollgate_session')).not.toBe(before.cookie('tollgate_session'));
  expect((await before.get('/api/auth/session')).status).toBe(401);
  const { sessions } = (await browser.get('/api/auth/sessions')).body as { sessions: Json[] };
  expect(sessions).toHaveLength(1);
});
