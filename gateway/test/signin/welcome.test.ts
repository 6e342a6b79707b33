// The settings of accounts: a starting credit that cannot be collected many times, the contact in refusals for lack of
// money, and public facts.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startHarness } from '../harness.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

const WELCOME = { welcome_credit_usd: 0.25, contact: 'desk@example.test', public_models: true };

let town: Town;

beforeAll(async () => {
  town = await openTown({ document: { accounts: WELCOME } });
});

afterAll(async () => {
  expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await town.close();
});

async function join(address: string, mails = 1): Promise<ReturnType<Town['browser']>> {
  const browser = town.browser();
  await browser.post('/api/auth/signup', { email: address, name: 'Ann' });
  const token = await town.token(address, mails);
  expect((await browser.post('/api/auth/verify-email', { token, password: PASSWORD })).status).toBe(200);
  await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  return browser;
}

const entriesOf = async (browser: ReturnType<Town['browser']>): Promise<Json[]> =>
  (await browser.get('/v1/statement')).body.entries as Json[];

test('whoever confirms an address begins with a credit, once, and can call with it', async () => {
  const browser = await join(town.newAddress());
  expect(await entriesOf(browser)).toMatchObject([{ kind: 'welcome_credit', amountUsd: 0.25, balanceUsd: 0.25 }]);
  const made = await browser.post('/api/account/keys', { name: 'first' });
  const answer = await town.harness.chat(String(made.body.key), { model: 'openai/test' });
  expect(answer.status, answer.text).toBe(200);
});

test('whom an operator has made gets none, neither at once nor with a first password', async () => {
  const { browser } = await town.operatorUser();
  expect(await entriesOf(browser)).toEqual([]);
});

test('a network gets ten in a day, and people all the same', async () => {
  const given: boolean[] = [];
  for (let person = 0; person < 11; person += 1) {
    given.push((await entriesOf(await join(town.newAddress()))).length > 0);
  }
  expect(given.filter(Boolean).length).toBeLessThan(11);
  expect(given.at(-1)).toBe(false);
});

test('a refusal for lack of money says whom to ask, and everybody may know it', async () => {
  const { key } = await town.harness.account(0);
  const answer = await town.harness.chat(key, { model: 'openai/test' });
  expect(answer.status).toBe(402);
  expect((answer.body.error as Json).message).toContain('desk@example.test');
  const site = await town.harness.request('GET', '/api/site');
  expect(site.body).toEqual({
    contact: 'desk@example.test',
    publicModels: true,
    welcomeCreditUsd: 0.25,
    topUps: false,
  });
});

test.each([
  { welcome_credit_usd: '-1' },
  { contact: 'javascript:alert(1)' },
  { contact: 'nobody' },
  { public_models: 'yes' },
])('refuses a setting of %j', async (accounts) => {
  await expect(startHarness({ document: { accounts } })).rejects.toThrow('accounts');
});
