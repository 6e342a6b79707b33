// One mailbox is one person, however its address is spelled: tags and ignored dots make no further accounts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { mailboxOf } from '../../src/platform/mail/mailer.ts';
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
  // The owner of the mailbox is told once, at the address of the account: other spellings cannot be used to fill it.
  expect(await town.mail(first, 2)).toContain('already have');
  expect(await town.rows('select 1 from mail_outbox where recipient = any ($1)', [[first, ...others]])).toHaveLength(2);
  expect(await usersIn(domain)).toEqual([first]);
});

test('dots that a mail service does not ignore tell people apart', async () => {
  for (const email of ['jo.ann@dots.example.test', 'joann@dots.example.test']) {
    expect([await signUp(email), await confirm(email)]).toEqual([202, 200]);
  }
  expect(await usersIn('dots.example.test')).toHaveLength(2);
});

test('of spellings that wait side by side one becomes an account', async () => {
  const emails = ['bo+1@side.example.test', 'bo@side.example.test'];
  for (const email of emails) expect(await signUp(email)).toBe(202);
  const statuses = await Promise.all(emails.map(confirm));
  expect(statuses.toSorted()).toEqual([200, 400]);
  expect(await usersIn('side.example.test')).toHaveLength(1);
});

test('an address without an account gets no more mails for being spelled in many ways', async () => {
  const spelled = (tag: number): string => `cy+${tag}@many.example.test`;
  for (let tag = 0; tag < 12; tag += 1) expect(await signUp(spelled(tag))).toBe(202);
  const mails = () => town.rows("select 1 from mail_outbox where recipient like 'cy+%@many.example.test'");
  expect(await mails()).toHaveLength(2);
  for (let hour = 0; hour < 48; hour += 4) {
    town.clock.move(4 * 3_600_000);
    await signUp(spelled(hour));
  }
  expect((await mails()).length).toBeLessThanOrEqual(5);
});

test('the database and the program mean the same mailbox', async () => {
  const addresses = [
    ...['a@b.test', 'a+x@b.test', '+x@b.test', 'a.b+c+d@b.test', 'a.b@gmail.com', 'a.b+c@googlemail.com'],
    ...['a+@gmail.com', '+.a@gmail.com', '\u043F.\u043E+\u0447@gmail.com'],
  ];
  const [row] = await town.rows('select array(select mailbox_of(a) from unnest($1::text[]) a) as mailboxes', [
    addresses,
  ]);
  expect(addresses.map(mailboxOf)).toEqual(row?.mailboxes);
});
