// The second factor: a password alone no longer opens a session, codes work once, guesses have to wait, and neither an
// open session nor a mailed link is a way around it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { codeOf } from './authenticator-app.ts';
import { Browser } from './browser.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(() => town.close());

type Careful = Readonly<{
  browser: Browser;
  userId: string;
  address: string;
  secret: string;
  codes: readonly string[];
}>;

const HALF_MINUTE_MS = 30_000;

/** Somebody with an app; the clock has moved on, so that the next code is a new one. */
async function careful(): Promise<Careful> {
  const { browser, userId, address } = await town.operatorUser();
  const begun = await browser.post('/api/auth/factors/totp', { password: PASSWORD });
  const secret = String(begun.body.secret);
  expect(begun.body.uri).toContain(`secret=${secret}`);
  const code = codeOf(secret, town.clock.nowMs());
  const confirmed = await browser.post('/api/auth/factors/totp/confirm', { code });
  expect(confirmed.status, confirmed.text).toBe(200);
  town.clock.move(HALF_MINUTE_MS);
  return { browser, userId, address, secret, codes: confirmed.body.recoveryCodes as string[] };
}

async function withPassword({ address }: Pick<Careful, 'address'>): Promise<Browser> {
  const browser = town.browser();
  const answer = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  expect([answer.status, answer.body]).toEqual([202, { secondFactor: { code: true, passkey: false } }]);
  expect(browser.cookieNames).not.toContain('tollgate_session');
  return browser;
}

const codeNow = ({ secret }: Careful): string => codeOf(secret, town.clock.nowMs());
const show = (browser: Browser, code: string) => browser.post('/api/auth/second-factor', { code });
const statusOf = async (browser: Browser): Promise<number> => (await browser.get('/api/auth/session')).status;

test('the password opens nothing, the code does, and no code is good twice', async () => {
  const person = await careful();
  const browser = await withPassword(person);
  expect(await statusOf(browser)).toBe(401);
  expect((await show(browser, '000000')).status).toBe(401);
  const code = codeNow(person);
  expect((await show(browser, code)).status).toBe(200);
  expect(await statusOf(browser)).toBe(200);
  expect((await browser.get('/api/auth/factors')).body).toMatchObject({ totp: true, shownInSession: true });
  // An attacker who has seen a code, and has the password too.
  expect((await show(await withPassword(person), code)).status).toBe(401);
  // The step ended when its session was opened.
  town.clock.move(HALF_MINUTE_MS);
  expect((await show(browser, codeNow(person))).status).toBe(401);
});

test('of two right answers at once one opens a session', async () => {
  const person = await careful();
  const first = await withPassword(person);
  const second = Browser.withCookiesOf(first, town.harness);
  const statuses = await Promise.all([show(first, codeNow(person)), show(second, person.codes[0] ?? '')]);
  expect(statuses.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test('a recovery code is good once, however it is written, and new ones take the place of the old', async () => {
  const person = await careful();
  expect(person.codes.length).toBe(10);
  const browser = await withPassword(person);
  expect((await show(browser, ` ${person.codes[0]?.toUpperCase().replace('-', ' ')} `)).status).toBe(200);
  expect((await browser.get('/api/auth/factors')).body.recoveryCodes).toBe(9);
  expect((await show(await withPassword(person), person.codes[0] ?? '')).status).toBe(401);
  const renewed = await browser.post('/api/auth/factors/recovery-codes', { password: PASSWORD });
  expect(renewed.status).toBe(200);
  expect((await show(await withPassword(person), person.codes[1] ?? '')).status).toBe(401);
  const [next = ''] = renewed.body.recoveryCodes as string[];
  expect((await show(await withPassword(person), next)).status).toBe(200);
});

test('guesses are slowed down for the person, whatever browser they come from', async () => {
  const person = await careful();
  const browsers = [await withPassword(person), await withPassword(person)];
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess += 1) {
    const answer = await show(browsers[guess % 2] as Browser, String(100_000 + guess));
    statuses.push(answer.status);
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  expect(statuses.slice(5)).toEqual([429, 429, 429]);
  // The right code has to wait as well, and works afterwards.
  expect((await show(browsers[0] as Browser, codeNow(person))).status).toBe(429);
  town.clock.move(60_000);
  expect((await show(browsers[0] as Browser, codeNow(person))).status).toBe(200);
});

test('a step that took too long, or was never begun, is none', async () => {
  const person = await careful();
  const late = await withPassword(person);
  town.clock.move(601_000);
  expect((await show(late, codeNow(person))).status).toBe(401);
  const forged = town.browser();
  forged.setCookie('tollgate_step', 'A'.repeat(43));
  expect((await show(forged, codeNow(person))).status).toBe(401);
});

test('the form of another site is refused', async () => {
  const person = await careful();
  const browser = await withPassword(person);
  browser.origin = 'https://evil.example';
  expect((await show(browser, codeNow(person))).status).toBe(403);
});

test('the first factor ends the other sessions, and its owner is told', async () => {
  const { browser, address } = await town.operatorUser();
  const other = town.browser();
  await other.post('/api/auth/login', { email: address, password: PASSWORD });
  expect(await statusOf(other)).toBe(200);
  const { body } = await browser.post('/api/auth/factors/totp', { password: PASSWORD });
  // Until a code is confirmed, the secret does not count.
  expect((await town.browser().post('/api/auth/login', { email: address, password: PASSWORD })).status).toBe(200);
  expect((await browser.post('/api/auth/factors/totp/confirm', { code: '000000' })).status).toBe(400);
  await browser.post('/api/auth/factors/totp/confirm', { code: codeOf(String(body.secret), town.clock.nowMs()) });
  expect(await statusOf(browser)).toBe(200);
  expect(await statusOf(other)).toBe(401);
  expect(await town.mail(address)).toContain('A second factor was added');
});

test('a factor is added and removed with the password, and removed only where it was shown', async () => {
  const { browser } = await town.operatorUser();
  expect((await browser.post('/api/auth/factors/totp', { password: 'wrong' })).status).toBe(403);
  expect((await browser.post('/api/auth/factors/totp', {})).status).toBe(403);
  const person = await careful();
  // A session from before, as if it had been left open somewhere.
  const weak = town.browser();
  weak.setCookie('tollgate_session', person.browser.cookie('tollgate_session') ?? '');
  await town.rows('update sessions set second_factor_at = null where user_id = $1', [person.userId]);
  await town.harness.operate('PATCH', `/admin/v1/users/${person.userId}`, { suspended: false });
  expect((await weak.post('/api/auth/factors/totp/remove', { password: PASSWORD })).status).toBe(403);
  expect((await weak.post('/api/auth/factors/recovery-codes', { password: PASSWORD })).status).toBe(403);
  const browser2 = await withPassword(person);
  await show(browser2, codeNow(person));
  expect((await browser2.post('/api/auth/factors/totp/remove', { password: 'wrong' })).status).toBe(403);
  expect((await browser2.post('/api/auth/factors/totp/remove', { password: PASSWORD })).status).toBe(200);
  expect((await town.browser().post('/api/auth/login', { email: person.address, password: PASSWORD })).status).toBe(
    200,
  );
  expect(await town.rows('select 1 from recovery_codes where user_id = $1', [person.userId])).toEqual([]);
});

test('a new password by mail does not take the factor away', async () => {
  const person = await careful();
  await town.browser().post('/api/auth/forgot-password', { email: person.address });
  // The first mail told of the factor.
  const token = await town.token(person.address, 2);
  await town.browser().post('/api/auth/reset-password', { token, password: PASSWORD });
  expect(await statusOf(await withPassword(person))).toBe(401);
});

test('a sign-in that waits for its factor ends with the sessions, because its password may be the old one', async () => {
  const person = await careful();
  const [begun, later] = [await withPassword(person), await withPassword(person)];
  const change = { currentPassword: PASSWORD, newPassword: PASSWORD };
  const changed = await person.browser.post('/api/auth/change-password', change);
  expect(changed.status, changed.text).toBe(200);
  expect((await show(begun, codeNow(person))).status).toBe(401);
  expect((await show(later, person.codes[0] ?? '')).status).toBe(401);
  expect(await statusOf(person.browser)).toBe(200);
  expect((await show(await withPassword(person), person.codes[0] ?? '')).status).toBe(200);
});

test('the operator helps somebody who has lost everything, and their sessions end', async () => {
  const person = await careful();
  expect(await statusOf(person.browser)).toBe(200);
  const path = `/admin/v1/users/${person.userId}/factors`;
  expect((await town.harness.request('DELETE', path, { key: ADMIN_TOKEN })).status).toBe(204);
  expect(await statusOf(person.browser)).toBe(401);
  expect((await town.browser().post('/api/auth/login', { email: person.address, password: PASSWORD })).status).toBe(
    200,
  );
});

test('the secret is sealed, and nothing of a code is stored', async () => {
  const person = await careful();
  const kept = JSON.stringify([
    await town.rows('select * from totp_secrets'),
    await town.rows("select user_id, encode(hash, 'escape') from recovery_codes"),
  ]);
  expect(kept).not.toContain(person.secret);
  for (const code of person.codes) expect(kept).not.toContain(code.replace('-', ''));
});

test('an organization asks its members for it', async () => {
  const person = await careful();
  const founded = await person.browser.post('/api/orgs', { name: 'Acme' });
  const orgId = String(founded.body.id);
  const change = await person.browser.request('PATCH', `/v1/orgs/${orgId}`, { settings: { needsSecondFactor: true } });
  expect((change.body.settings as Json).needsSecondFactor).toBe(true);
  expect((await person.browser.get(`/v1/orgs/${orgId}`)).status).toBe(200);
  const other = await town.operatorUser();
  await town.rows("insert into org_members (id, org_id, user_id, role) values ('mem-factor', $1, $2, 'org_admin')", [
    orgId,
    other.userId,
  ]);
  const refused = await other.browser.get(`/v1/orgs/${orgId}`);
  expect([refused.status, String((refused.body.error as Json).message)]).toEqual([
    403,
    expect.stringContaining('second factor'),
  ]);
  expect((await other.browser.get(`/api/account/credits?orgId=${orgId}`)).status).toBe(403);
  // A key that the person has made alone shows no more than their password did.
  const made = await other.browser.post('/api/account/keys', { name: 'own', keyType: 'management' });
  const withKey = (path: string) => town.harness.request('GET', path, { key: String(made.body.key) });
  expect((await withKey('/v1/keys')).status).toBe(200);
  expect((await withKey(`/v1/orgs/${orgId}`)).status).toBe(403);
  expect((await withKey(`/v1/orgs/${orgId}/members`)).status).toBe(403);
  const ofOrg = await person.browser.post(`/api/orgs/${orgId}/keys`, { name: 'ours', keyType: 'management' });
  expect(ofOrg.status, ofOrg.text).toBe(201);
  const shown = await town.harness.request('GET', `/v1/orgs/${orgId}`, { key: String(ofOrg.body.key) });
  expect(shown.status).toBe(200);
  const { body } = await other.browser.post('/api/auth/factors/totp', { password: PASSWORD });
  await other.browser.post('/api/auth/factors/totp/confirm', { code: codeOf(String(body.secret), town.clock.nowMs()) });
  expect((await other.browser.get(`/v1/orgs/${orgId}`)).status).toBe(200);
});

test('operators are asked for it where the config says so, and the token is not', async () => {
  const config = await town.harness.operate('GET', '/admin/v1/config');
  const needs = { ...config, accounts: { operators_need_second_factor: true } };
  const [weak, strong] = [await town.operatorUser(), await careful()];
  for (const { address } of [weak, strong]) {
    await town.harness.operate('POST', '/admin/v1/operators', { email: address, role: 'owner' });
  }
  expect((await weak.browser.get('/admin/v1/users')).status).toBe(200);
  await town.harness.operate('PUT', '/admin/v1/config', needs);
  expect((await weak.browser.get('/admin/v1/users')).status).toBe(403);
  expect((await strong.browser.get('/admin/v1/users')).status).toBe(200);
  await town.harness.operate('PUT', '/admin/v1/config', { ...config, accounts: {} });
});
