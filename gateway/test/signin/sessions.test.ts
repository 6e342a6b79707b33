// Sessions: how long they last, how they end, and that the end counts in every process.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { verifyPassword } from '../../src/modules/identity/password.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { Browser } from './browser.ts';
import { openParts, openTown, PASSWORD, type Town } from './people.ts';

const DAY_MS = 86_400_000;

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(() => town.close());

const status = async (browser: Browser): Promise<number> => (await browser.get('/api/auth/session')).status;

/** The same person in another browser. */
async function again(address: string): Promise<Browser> {
  const browser = town.browser();
  const answer = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  expect(answer.status).toBe(200);
  return browser;
}

test('a session lives thirty days from its last use and ninety days at most', async () => {
  const { browser, address } = await town.operatorUser();
  const idle = await again(address);
  for (let month = 0; month < 3; month++) {
    town.clock.move(29 * DAY_MS);
    expect(await status(browser), `after ${29 * (month + 1)} days`).toBe(200);
  }
  expect(await status(idle)).toBe(401);
  town.clock.move(3 * DAY_MS + 1);
  expect(await status(browser)).toBe(401);
});

test('signing out ends this session alone; signing out everywhere ends all', async () => {
  const { browser, address } = await town.operatorUser();
  const [second, third] = [await again(address), await again(address)];
  const stolen = Browser.withCookiesOf(browser, town.harness);
  const answer = await browser.post('/api/auth/logout');
  expect([answer.status, answer.body]).toEqual([200, { signedOut: true }]);
  expect(answer.cookies[0]).toMatch(/^tollgate_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/);
  expect(await status(stolen)).toBe(401);
  expect(await status(second)).toBe(200);
  await second.post('/api/auth/logout-all');
  expect([await status(second), await status(third)]).toEqual([401, 401]);
});

test('a person sees their sessions, ends one of them, and nobody else s', async () => {
  const { browser, address } = await town.operatorUser();
  const other = await town.operatorUser();
  const second = await again(address);
  const { sessions } = (await browser.get('/api/auth/sessions')).body as { sessions: Json[] };
  expect(sessions).toHaveLength(2);
  expect(sessions.filter(({ current }) => current === true)).toHaveLength(1);
  expect(sessions[0]).toEqual({
    id: expect.stringMatching(/^ses-/),
    current: expect.any(Boolean),
    createdAt: expect.any(String),
    lastSeenAt: expect.any(String),
    expiresAt: expect.any(String),
    userAgent: expect.any(String),
    ip: '127.0.0.1',
  });
  const foreign = sessions.find(({ current }) => current === false);
  expect((await other.browser.request('DELETE', `/api/auth/sessions/${foreign?.id}`)).status).toBe(404);
  expect(await status(second)).toBe(200);
  const ended = await browser.request('DELETE', `/api/auth/sessions/${foreign?.id}`);
  expect([ended.status, ended.body]).toEqual([200, { deleted: true }]);
  expect([await status(second), await status(browser)]).toEqual([401, 200]);
  expect((await browser.request('DELETE', `/api/auth/sessions/${foreign?.id}`)).status).toBe(404);
});

test('only hashes of the secrets are stored, and an altered secret is none', async () => {
  const { browser, userId } = await town.operatorUser();
  const secret = browser.cookie('tollgate_session') ?? '';
  const stored = await town.rows("select *, encode(hash, 'base64') as text from sessions where user_id = $1", [userId]);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  for (const altered of [`${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`, `${secret}A`, '', 'undefined']) {
    const stranger = town.browser();
    stranger.setCookie('tollgate_session', altered);
    expect(await status(stranger), altered).toBe(401);
  }
});

test('a new password ends all sessions, a changed one all others, and the owner is told', async () => {
  const { browser, address } = await town.operatorUser();
  const second = await again(address);
  const wrong = { currentPassword: 'not the password', newPassword: 'another long password' };
  expect((await browser.post('/api/auth/change-password', wrong)).status).toBe(403);
  const right = { currentPassword: PASSWORD, newPassword: 'another long password' };
  expect((await browser.post('/api/auth/change-password', right)).body).toEqual({ updated: true });
  expect([await status(browser), await status(second)]).toEqual([200, 401]);
  expect(await town.mail(address)).toContain('was changed');

  const asked = await browser.post('/api/auth/forgot-password', { email: address });
  const unknown = await browser.post('/api/auth/forgot-password', { email: town.newAddress() });
  expect([asked.status, asked.text]).toEqual([unknown.status, unknown.text]);
  const token = await town.token(address, 2);
  const reset = { token, password: 'a third long password' };
  expect((await browser.post('/api/auth/reset-password', reset)).body).toEqual({ reset: true });
  expect((await browser.post('/api/auth/reset-password', reset)).status).toBe(400);
  expect(await status(browser)).toBe(401);
  const logIn = (password: string) => town.browser().post('/api/auth/login', { email: address, password });
  expect((await logIn('another long password')).status).toBe(401);
  expect((await logIn('a third long password')).status).toBe(200);
});

test('a password that is changed while it is compared opens nothing and sets no other one', async () => {
  const { browser, address, userId } = await town.operatorUser();
  let meanwhile = async (): Promise<unknown> => undefined;
  const parts = await openParts(town, async (password, stored, source) => {
    const isRight = await verifyPassword(password, stored, source);
    await meanwhile();
    return isRight;
  });
  const client = new Client(town.harness.databaseUrl);
  await client.connect();
  const database = openDatabase(town.harness.databaseUrl, silentLogger);
  const compare = async (password: string): Promise<string> => {
    const check = await parts.signIn.checkPassword({ emailNormalized: address, password, source: 'here' });
    return check.outcome === 'right' ? check.passwordHash : '';
  };
  const begin = (passwordHash: string) => parts.secondFactors.steps.begin(userId, 'sign_in', { passwordHash });
  const open = (passwordHash: string) =>
    parts.openSessions.open(database, userId, { userAgent: null, ip: null }, { hasSecondFactor: false, passwordHash });

  const right = await compare(PASSWORD);
  expect([await begin(right), await open(right)]).toEqual([expect.any(String), expect.any(String)]);
  const changed = { currentPassword: PASSWORD, newPassword: 'another long password' };
  meanwhile = () => browser.post('/api/auth/change-password', changed);
  const stale = await compare(PASSWORD);
  expect([await begin(stale), await open(stale)]).toEqual([null, null]);

  // Neither while the change is being written.
  meanwhile = async () => undefined;
  const fresh = await compare('another long password');
  await client.query('begin');
  await client.query("update users set password_hash = 'x' where id = $1", [userId]);
  const opening = Promise.all([begin(fresh), open(fresh)]);
  await vi.waitFor(async () => {
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    expect(await town.rows(waiting)).toHaveLength(2);
  }, PATIENCE_MS);
  await client.query('commit');
  expect(await opening).toEqual([null, null]);

  await client.query('update users set password_hash = $2 where id = $1', [userId, fresh]);
  meanwhile = () => client.query("update users set password_hash = 'y' where id = $1", [userId]);
  const thiefs = {
    userId,
    sessionId: '',
    currentPassword: 'another long password',
    newPassword: 'the password of a thief',
  };
  expect(await parts.signIn.changePassword({ ...thiefs, source: 'here' })).toBe(false);
  expect(await town.rows('select password_hash from users where id = $1', [userId])).toEqual([{ password_hash: 'y' }]);
  await Promise.all([client.end(), database.close(), parts.close()]);
});

test('links to a new password work for a day beside each other, until one was used, and lift the wait of guessing', async () => {
  const { address, browser } = await town.operatorUser();
  await browser.post('/api/auth/forgot-password', { email: address });
  const first = await town.token(address, 1);
  await browser.post('/api/auth/forgot-password', { email: address });
  const second = await town.token(address, 2);
  const reset = (token: string) => browser.post('/api/auth/reset-password', { token, password: 'a fresh password' });
  expect((await reset(first)).status).toBe(200);
  expect((await reset(second)).status).toBe(400);
  await browser.post('/api/auth/forgot-password', { email: address });
  const late = await town.token(address, 4);
  town.clock.move(DAY_MS + 1);
  expect((await reset(late)).status).toBe(400);

  await browser.post('/api/auth/forgot-password', { email: address });
  const logIn = (password: string) => town.browser().post('/api/auth/login', { email: address, password });
  for (let round = 0; round < 5; round++) await logIn('a guess');
  expect((await logIn('a guess')).status).toBe(429);
  expect((await reset(await town.token(address, 5))).status).toBe(200);
  expect((await logIn('a fresh password')).status).toBe(200);
});

test('guessing the current password with a stolen session is slowed down', async () => {
  const { browser } = await town.operatorUser();
  const guess = { currentPassword: 'a guess', newPassword: 'another long password' };
  const statuses: number[] = [];
  for (let round = 0; round < 6; round++)
    statuses.push((await browser.post('/api/auth/change-password', guess)).status);
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
});

test('a person changes their name and nothing else', async () => {
  const { browser, address, userId } = await town.operatorUser();
  const answer = await browser.request('PATCH', '/api/auth/profile', { name: '  Ann Other  ' });
  expect(answer.body).toEqual({ id: userId, email: address, name: 'Ann Other' });
  expect((await browser.get('/api/auth/session')).body.user).toEqual({ id: userId, email: address, name: 'Ann Other' });
  const email = await browser.request('PATCH', '/api/auth/profile', { name: 'Ann', email: 'x@example.test' });
  expect([email.status, (email.body.error as Json).code]).toEqual([400, 'unsupported_param']);
});

test('a session that ends in one process ends in the other, cached or not', async () => {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: town.harness.databaseUrl,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
    TOLLGATE_ADMIN_TOKEN: 'another-token',
    TOLLGATE_DATA_DIR: `${town.folder}/second`,
    TOLLGATE_LOG_LEVEL: 'silent',
  });
  const second = await startApp(config, { variables: { SIMULATOR_URL: town.harness.simulator.url } });
  try {
    const { browser } = await town.operatorUser();
    const elsewhere = Browser.withCookiesOf(browser, second);
    expect(await status(elsewhere)).toBe(200);
    await browser.post('/api/auth/logout-all');
    await expect.poll(() => status(elsewhere)).toBe(401);
  } finally {
    await second.close(1_000);
  }
});

test('what has expired is removed, and nothing else', async () => {
  const { browser, address } = await town.operatorUser();
  const stranger = town.newAddress();
  await browser.post('/api/auth/signup', { email: stranger, name: 'Ann' });
  await browser.post('/api/auth/forgot-password', { email: address });
  const { signIn, openSessions, throttle, close } = await openParts(town);
  const counts = async (): Promise<Json | undefined> => {
    await openSessions.forgetExpired();
    await signIn.forgetExpired();
    await throttle.forgetOld();
    const tables = ['sessions', 'sign_ups', 'password_resets', 'sign_in_attempts'];
    const sums = tables.map((table) => `(select count(*) > 0 from ${table}) as ${table}`);
    return (await town.rows(`select ${sums.join(', ')}`))[0];
  };
  try {
    expect(await counts()).toEqual({ sessions: true, sign_ups: true, password_resets: true, sign_in_attempts: true });
    town.clock.move(DAY_MS + 1);
    expect(await counts()).toMatchObject({ sign_ups: false, password_resets: false, sign_in_attempts: true });
    town.clock.move(7 * DAY_MS);
    expect(await counts()).toMatchObject({ sessions: true, sign_in_attempts: false });
    town.clock.move(91 * DAY_MS);
    expect(await counts()).toMatchObject({ sessions: false });
  } finally {
    await close();
  }
});

test('a person keeps the fifty sessions that were used last', async () => {
  const { address, userId, browser } = await town.operatorUser();
  await town.rows(
    `insert into sessions (id, hash, user_id, created_at, last_seen_at, expires_at, ends_at)
     select 'ses-' || n, sha256(n::text::bytea), $1, now(), now() - n * interval '1 hour', now() + interval '1 year',
       now() + interval '1 year'
     from generate_series(1, 60) n`,
    [userId],
  );
  await again(address);
  expect(await town.rows('select count(*)::int as count from sessions where user_id = $1', [userId])).toEqual([
    { count: 50 },
  ]);
  expect(await status(browser)).toBe(200);
});
