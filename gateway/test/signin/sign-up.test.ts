// Signing up, confirming the address, signing in: what each party learns, and what is created when.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(async () => {
  expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await town.close();
});

const usersWith = (address: string) => town.rows('select id from users where email_normalized = $1', [address]);

test('AUTH-15 a sign-up becomes a user with an empty account when its link is used, once', async () => {
  const address = town.newAddress();
  const browser = town.browser();
  const answer = await browser.post('/api/auth/signup', { email: address, name: 'Ann' });
  expect([answer.status, answer.body]).toEqual([202, { sent: true }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await usersWith(address)).toEqual([]);

  const early = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  expect(early.status).toBe(401);
  expect(browser.cookieNames).toEqual([]);

  const token = await town.token(address);
  expect((await browser.post('/api/auth/verify-email', { token })).status).toBe(400);
  const verified = await browser.post('/api/auth/verify-email', { token, password: PASSWORD });
  expect([verified.status, verified.body]).toEqual([200, { verified: true, email: address }]);
  expect((await browser.post('/api/auth/verify-email', { token, password: PASSWORD })).status).toBe(400);

  const [user] = await usersWith(address);
  const accounts = await town.rows('select balance_nano_usd from accounts where id = $1', [user?.id]);
  expect(accounts).toEqual([{ balance_nano_usd: '0' }]);

  const signedIn = await browser.post('/api/auth/login', { email: address.toUpperCase(), password: PASSWORD });
  expect(signedIn.status).toBe(200);
  const session = { user: { id: user?.id, email: address, name: 'Ann' }, organizations: [], operatorRole: null };
  expect(signedIn.body).toEqual(session);
  expect((await browser.get('/api/auth/session')).body).toEqual(session);
});

test('a sign-up with a taken address answers the same, tells the owner and changes nothing', async () => {
  const { address, browser } = await town.operatorUser();
  const stranger = town.browser();
  const taken = await stranger.post('/api/auth/signup', { email: address, name: 'X' });
  const free = await stranger.post('/api/auth/signup', { email: town.newAddress(), name: 'X' });
  expect([taken.status, taken.text]).toEqual([free.status, free.text]);
  const mail = await town.mail(address);
  expect(mail).toContain('already have');
  expect((await browser.get('/api/auth/session')).status).toBe(200);
  // An owner of the mailbox who has forgotten the password needs no second mail.
  await stranger.post('/api/auth/forgot-password', { email: address });
  expect(await town.rows('select 1 from mail_outbox where recipient = $1', [address])).toHaveLength(1);
  const [, token] = /reset-password#token=([\w-]+)/.exec(mail) ?? [];
  const reset = { token, password: 'a fresh password' };
  expect((await town.browser().post('/api/auth/reset-password', reset)).status).toBe(200);
});

test('whoever opens the mailed link sets the password: nothing that a squatter typed before is left', async () => {
  const address = town.newAddress();
  await town.browser().post('/api/auth/signup', { email: address, name: 'Squatter' });
  const squatted = await town.token(address);
  const withPassword = { email: address, name: 'Squatter', password: 'the squatter s own' };
  // A password from before the address is confirmed does not count.
  expect((await town.browser().post('/api/auth/signup', withPassword)).status).toBe(202);
  const browser = town.browser();
  await browser.post('/api/auth/signup', { email: address, name: 'Owner' });
  const own = await town.token(address, 2);
  // The owner opens the wrong one of the two mails, and has no disadvantage.
  const confirmed = { token: squatted, password: PASSWORD, name: 'Owner' };
  expect((await browser.post('/api/auth/verify-email', confirmed)).status).toBe(200);
  // The other link is invalid as soon as the address is confirmed.
  expect((await browser.post('/api/auth/verify-email', { token: own, password: 'another one' })).status).toBe(400);
  const answer = await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  expect((answer.body.user as Json).name).toBe('Owner');
  const asSquatter = { email: address, password: withPassword.password };
  expect((await town.browser().post('/api/auth/login', asSquatter)).status).toBe(401);
});

test('a sign-up that waits ends when its address is proven by a reset link', async () => {
  const address = town.newAddress();
  const browser = town.browser();
  await browser.post('/api/auth/signup', { email: address, name: 'Squatter' });
  const squatted = await town.token(address);
  await town.harness.operate('POST', '/admin/v1/users', { email: address, name: 'Given' });
  await browser.post('/api/auth/forgot-password', { email: address });
  const reset = { token: await town.token(address, 2), password: PASSWORD };
  expect((await browser.post('/api/auth/reset-password', reset)).status).toBe(200);
  expect(await town.rows('select 1 from sign_ups where email_normalized = $1', [address])).toEqual([]);
  expect((await browser.post('/api/auth/verify-email', { token: squatted, password: 'another one' })).status).toBe(400);
});

test.each(['vi\u212Aing@example.test', 'bo\u017F\u017F@example.test', 'dot\u0130@example.test', 'a@ex\uFF41mple.test'])(
  'an address with a letter that would become another one is refused: %s',
  async (email) => {
    expect((await town.browser().post('/api/auth/signup', { email, name: 'A' })).status).toBe(400);
  },
);

test('an address in another alphabet is an address', async () => {
  const email = `\u043F\u043E\u0447\u0442\u0430-${crypto.randomUUID()}@example.test`;
  expect((await town.browser().post('/api/auth/signup', { email, name: 'A' })).status).toBe(202);
});

test('a link works for a day', async () => {
  const [early, late] = [town.newAddress(), town.newAddress()];
  const browser = town.browser();
  for (const email of [early, late]) await browser.post('/api/auth/signup', { email, name: 'Ann' });
  const tokens = [await town.token(early), await town.token(late)];
  const verify = async (token: string | undefined): Promise<number> =>
    (await browser.post('/api/auth/verify-email', { token, password: PASSWORD })).status;
  town.clock.move(86_400_000 - 60_000);
  expect(await verify(tokens[0])).toBe(200);
  town.clock.move(120_000);
  expect(await verify(tokens[1])).toBe(400);
  expect((await browser.post('/api/auth/login', { email: late, password: PASSWORD })).status).toBe(401);
});

test('a user whom the operator opened without a password sets the first one by mail', async () => {
  const byReset = town.newAddress();
  const bySignUp = town.newAddress();
  const browser = town.browser();
  for (const email of [byReset, bySignUp]) {
    await town.harness.operate('POST', '/admin/v1/users', { email, name: 'Given' });
    expect((await browser.post('/api/auth/login', { email, password: '' })).status).toBe(401);
  }
  await browser.post('/api/auth/forgot-password', { email: byReset });
  const reset = await browser.post('/api/auth/reset-password', {
    token: await town.token(byReset),
    password: PASSWORD,
  });
  expect(reset.status).toBe(200);
  expect((await browser.post('/api/auth/login', { email: byReset, password: PASSWORD })).status).toBe(200);
  // A sign-up tells the owner that there is an account; it opens no second one.
  await browser.post('/api/auth/signup', { email: bySignUp, name: 'Other' });
  expect(await town.mail(bySignUp)).toContain('already have');
  expect(await usersWith(bySignUp)).toHaveLength(1);
});

test('a sign-up that is confirmed after the operator opened the account gives it its first password, and no other', async () => {
  const [without, withOne] = [town.newAddress(), town.newAddress()];
  const browser = town.browser();
  for (const email of [without, withOne]) {
    await browser.post('/api/auth/signup', { email, name: 'Ann' });
  }
  await town.harness.operate('POST', '/admin/v1/users', { email: without, name: 'Given' });
  await town.harness.operate('POST', '/admin/v1/users', { email: withOne, name: 'Given', password: PASSWORD });
  for (const [email, status] of [
    [without, 200],
    [withOne, 400],
  ] as const) {
    const confirmed = { token: await town.token(email), password: 'typed at the link' };
    expect((await browser.post('/api/auth/verify-email', confirmed)).status).toBe(status);
    expect(await usersWith(email)).toHaveLength(1);
  }
  const logIn = async (email: string, password: string): Promise<number> =>
    (await browser.post('/api/auth/login', { email, password })).status;
  expect(await logIn(without, 'typed at the link')).toBe(200);
  expect(await logIn(withOne, 'typed at the link')).toBe(401);
  expect(await logIn(withOne, PASSWORD)).toBe(200);
});

test('asking for mails fills no mailbox, and the answer is the same whether or not it has an account', async () => {
  const known = (await town.operatorUser()).address;
  for (const email of [town.newAddress(), known]) {
    const statuses: number[] = [];
    for (let round = 0; round < 8; round++) {
      statuses.push((await town.browser().post('/api/auth/forgot-password', { email })).status);
      statuses.push((await town.browser().post('/api/auth/signup', { email, name: 'X' })).status);
    }
    expect(new Set(statuses)).toEqual(new Set([202]));
  }
  // One link to a new password, whichever was asked for first, and then one after longer and longer waits.
  expect(await town.rows('select 1 from mail_outbox where recipient = $1', [known])).toHaveLength(1);
  for (let hour = 0; hour < 72; hour += 4) {
    town.clock.move(4 * 3_600_000);
    await town.browser().post('/api/auth/forgot-password', { email: known });
    await town.browser().post('/api/auth/signup', { email: known, name: 'X' });
  }
  expect(await town.rows('select 1 from mail_outbox where recipient = $1', [known])).toHaveLength(1 + 4);
});

test('no token and no password is stored, and the mail s content goes when the mail has', async () => {
  const address = town.newAddress();
  await town.browser().post('/api/auth/signup', { email: address, name: 'Ann' });
  const token = await town.token(address);
  const stored = JSON.stringify([
    await town.rows('select * from sign_ups'),
    await town.rows('select * from mail_outbox'),
    await town.rows('select * from sign_in_attempts'),
  ]);
  expect(stored).not.toContain(token);
  expect(stored).not.toContain(PASSWORD);
  const waiting = () => town.rows('select state, content from mail_outbox where recipient = $1', [address]);
  await expect.poll(waiting).toEqual([{ state: 'sent', content: null }]);
});

describe('bad input is refused by name', () => {
  test.each<[string, Json, number, string]>([
    ['/api/auth/signup', { email: 'a@b.test' }, 400, 'name'],
    ['/api/auth/signup', { email: 'nobody', name: 'A' }, 400, 'email'],
    ['/api/auth/signup', { email: 'a@b.test\r\nBcc: c@d.test', name: 'A' }, 400, 'email'],
    ['/api/auth/verify-email', { token: 'made-up', password: 'short' }, 400, 'password'],
    ['/api/auth/signup', { email: 'a@b.test', name: '   ' }, 400, 'name'],
    ['/api/auth/login', { email: 'a@b.test' }, 400, 'password'],
    ['/api/auth/login', { email: ['a@b.test'], password: PASSWORD }, 400, 'email'],
    ['/api/auth/verify-email', { token: 'made-up', password: PASSWORD }, 400, 'token'],
    ['/api/auth/reset-password', { token: 'made-up', password: PASSWORD }, 400, 'token'],
    ['/api/auth/forgot-password', { email: 'nobody' }, 400, 'email'],
  ])('%s %j', async (path, body, status, field) => {
    const answer = await town.browser().post(path, body);
    expect(answer.status).toBe(status);
    expect(String((answer.body.error as Json).message)).toMatch(new RegExp(`^${field}:`));
  });
});
