// Codes for credit: each works once, wrong guesses have to wait, and nothing is stored that could be redeemed.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await harness.close();
});

const make = async (body: Json): Promise<Readonly<{ batchId: string; codes: readonly string[] }>> =>
  (await harness.operate('POST', '/admin/v1/codes', body)) as never;

const redeem = (key: string, code: string) => harness.request('POST', '/v1/credits/redeem', { key, body: { code } });

test('a code is credit for the first who redeems it, once, and stands on the statement', async () => {
  const { batchId, codes } = await make({ count: 2, amountUsd: '2.5', note: 'Workshop' });
  const [first = '', second = ''] = codes;
  const [ann, ben] = [await harness.account(1), await harness.account(0)];
  const redeemed = await redeem(ann.key, first.toLowerCase().replaceAll('-', ' '));
  expect(redeemed.body).toEqual({ amountUsd: 2.5, balanceUsd: 3.5, repeated: false });
  expect((await redeem(ann.key, first)).body).toEqual({ amountUsd: 2.5, balanceUsd: 3.5, repeated: true });
  const foreign = await redeem(ben.key, first);
  const unknown = await redeem(ben.key, 'TG-00000-00000-00000-00000-00000');
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  expect((foreign.body.error as Json).message).toBe((unknown.body.error as Json).message);
  const { entries } = await harness.operate('GET', `/admin/v1/users/${ann.userId}/entries?limit=1`);
  expect((entries as Json[])[0]).toMatchObject({ kind: 'code_credit', amountUsd: 2.5, note: 'Workshop' });
  const { batches } = await harness.operate('GET', '/admin/v1/codes');
  expect((batches as Json[])[0]).toMatchObject({ id: batchId, codes: 2, redeemed: 1, voided: false, amountUsd: 2.5 });
  expect((await harness.request('DELETE', `/admin/v1/codes/${batchId}`, { key: ADMIN_TOKEN })).status).toBe(204);
  expect((await redeem(ben.key, second)).status).toBe(404);
});

test('of many who redeem one code at once, one gets it', async () => {
  const { codes } = await make({ count: 1, amountUsd: 1 });
  const people = await Promise.all(Array.from({ length: 6 }, () => harness.account(0)));
  const answers = await Promise.all(people.map(({ key }) => redeem(key, codes[0] ?? '')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
});

test('whoever guesses is slowed down, and others are not', async () => {
  const { codes } = await make({ count: 1, amountUsd: 1 });
  const guesser = await harness.account(0);
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    statuses.push((await redeem(guesser.key, `TG-00000-00000-00000-00000-${String(guess).padStart(5, '0')}`)).status);
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 404));
  expect(statuses.at(-1)).toBe(429);
  expect((await redeem((await harness.account(0)).key, codes[0] ?? '')).status).toBe(200);
});

test('a code that has run out is good for nothing, and wrong wishes are refused', async () => {
  for (const wrong of [
    { count: 0, amountUsd: 1 },
    { count: 1_001, amountUsd: 1 },
    { count: 1, amountUsd: 0 },
    { count: 1, amountUsd: -1 },
    { count: 1, amountUsd: 1, expiresAt: '2020-01-01T00:00:00Z' },
    { count: 1, amountUsd: 1, expiresAt: 'soon' },
  ]) {
    const answer = await harness.request('POST', '/admin/v1/codes', { key: ADMIN_TOKEN, body: wrong });
    expect(answer.status, JSON.stringify(wrong)).toBe(400);
  }
  const { codes, batchId } = await make({ count: 1, amountUsd: 1, expiresAt: '2999-01-01T00:00:00Z' });
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query("update credit_code_batches set expires_at = now() - interval '1 minute' where id = $1", [
    batchId,
  ]);
  const kept = await client.query('select credit_codes::text as text from credit_codes');
  await client.end();
  expect((await redeem((await harness.account(0)).key, codes[0] ?? '')).status).toBe(404);
  const plain = (codes[0] ?? '').replaceAll('-', '').slice(2);
  expect(JSON.stringify(kept.rows)).not.toContain(plain);
});
