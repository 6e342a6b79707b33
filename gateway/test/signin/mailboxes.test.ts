// One mailbox is one person, however its address is spelled: tags and ignored dots make no further accounts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTown, PASSWORD, type Town } from './people.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(() => town.close());

const signUp = async (email: string): Promise<number> =>
  (await town.browser().post('/api/auth/signup', { email, name: 'Ann' })).status;

const confirm = async (email: string): Promise<number> =>
  (await town.browser().post('/api/auth/verify-email', { token: await town.token(email), password: PASSWORD })).status;

const usersIn = async (domain: string): Promise<string[]> =>
  (await town.rows('select email_normalized from users where email_normalized like $1', [`%@${domain}`])).map((row) =>
    String(row.email_normalized),
  );

test.each([
  ['mail.example.test', 'ann@mail.example.test', ['ann+1@mail.example.test', 'Ann+two+three@mail.example.test']],
  ['gmail.com', 'ann.lee@gmail.com', ['annlee@gmail.com', 'a.n.n.lee+x@gmail.com', 'annlee@googlemail.com']],
])('AUTH-15 at %s', async (domain, first, others) => {
  expect([await signUp(first), await confirm(first)]).toEqual([202, 200]);
  for (const other of others) expect(await signUp(other)).toBe(202);
  // Whoever has the mailbox is told, at the address that has the account.
  expect(await town.mail(first, 1 + others.length)).toContain('already have');
  expect(await usersIn(domain)).toEqual([first]);
});

test('dots that a mail service does not ignore tell people apart', async () => {
  for (const email of ['jo.ann@dots.example.test', 'joann@dots.example.test']) {
    expect([await signUp(email), await confirm(email)]).toEqual([202, 200]);
  }
  expect(await usersIn('dots.example.test')).toHaveLength(2);
});

test('of spellings that wait side by side one becomes an account', async () => {
  const emails = ['bo+1@side.example.test', 'bo+2@side.example.test', 'bo@side.example.test'];
  for (const email of emails) expect(await signUp(email)).toBe(202);
  const statuses = await Promise.all(emails.map(confirm));
  expect(statuses.toSorted()).toEqual([200, 400, 400]);
  expect(await usersIn('side.example.test')).toHaveLength(1);
});
