// The operator's corrections over HTTP: given and taken back once for each reference, never below zero unless that is
// allowed, whatever processes have leased; a call's charge refunded once; and the books have all of it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/dear': { commands: 'tokens-1000-1000' },
      'openai/slow': { commands: 'stall-after-1', entry: { pricing: { prompt: '0', completion: '100000' } } },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await harness.close();
});

const ask = (path: string, body: unknown): Promise<Answer> =>
  harness.request('POST', `/admin/v1/${path}`, { key: ADMIN_TOKEN, body });

const adjust = (userId: string, amountUsd: number | string, more: Json = {}): Promise<Answer> =>
  ask(`users/${userId}/adjustments`, { amountUsd, reason: 'test', ...more });

const kinds = async (userId: string): Promise<unknown[]> => {
  const { entries } = await harness.operate('GET', `/admin/v1/users/${userId}/entries`);
  return (entries as Json[]).map(({ kind, amountUsd }) => [kind, amountUsd]);
};

describe('an adjustment', () => {
  test('gives and takes back, with its reason on the statement', async () => {
    const { userId, key } = await harness.account(10);
    expect((await adjust(userId, 2.5, { reason: 'sorry', reference: 'a' })).body).toMatchObject({ balanceUsd: 12.5 });
    expect((await adjust(userId, '-12.5', { reason: 'all of it', reference: 'b' })).body.balanceUsd).toBe(0);
    const { body } = await harness.request('GET', '/v1/statement', { key });
    expect((body.entries as Json[])[0]).toMatchObject({
      kind: 'adjustment',
      amountUsd: -12.5,
      balanceUsd: 0,
      note: 'all of it',
      reference: 'b',
    });
    expect((await harness.chat(key, { model: 'openai/dear' })).status).toBe(402);
  });

  test('counts once for each reference, also when asked side by side, and never as another one', async () => {
    const { userId } = await harness.account(10);
    const answers = await Promise.all(Array.from({ length: 8 }, () => adjust(userId, -3, { reference: 'ticket-7' })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.entryId)).size).toBe(1);
    expect(await kinds(userId)).toEqual([
      ['adjustment', -3],
      ['credit', 10],
    ]);
    expect((await adjust(userId, -4, { reference: 'ticket-7' })).status).toBe(409);
    // The reference belongs to the account that it was given for.
    const other = await harness.account(10);
    expect((await adjust(other.userId, -4, { reference: 'ticket-7' })).body.balanceUsd).toBe(6);
  });

  test('never goes below zero, however many ask at once', async () => {
    const { userId } = await harness.account(5);
    expect((await adjust(userId, -5.000000001)).status).toBe(409);
    const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => adjust(userId, -1, { reference: `r${n}` })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    expect((await adjust(userId, -1)).body.error).toMatchObject({ message: expect.stringContaining('below zero') });
  });

  test('calls in what a process has leased and does not use, and leaves what a running call holds', async () => {
    const { userId, key } = await harness.account(10);
    const { body } = await harness.chat(key, { model: 'openai/dear' });
    const leftUsd = 10 - Number((body.usage as Json).cost);
    expect((await adjust(userId, -leftUsd)).body.balanceUsd).toBe(0);

    const busy = await harness.account(10);
    const controller = new AbortController();
    const running = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${busy.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        model: 'openai/slow',
        stream: true,
        max_tokens: 50,
        messages: [{ role: 'user', content: 'x' }],
      }),
      signal: controller.signal,
    });
    await running.body?.getReader().read();
    const refused = await adjust(busy.userId, -10);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ message: expect.stringContaining('calls that are running') });
    controller.abort();
    await expect.poll(async () => (await adjust(busy.userId, -10, { reference: 'later' })).status).toBe(200);
  });

  test('goes below zero where the operator says so, and then the account owes', async () => {
    const { userId, key } = await harness.account(1);
    await harness.chat(key, { model: 'openai/dear' });
    const answer = await adjust(userId, -1, { allowBelowZero: true });
    expect(Number(answer.body.balanceUsd)).toBeLessThan(0);
    expect((await harness.chat(key, { model: 'openai/dear' })).status).toBe(402);
    // Nobody loses more than was ever credited.
    expect((await adjust(userId, -1, { allowBelowZero: true })).status).toBe(409);
    expect((await adjust(userId, 1)).body.balanceUsd).toBeGreaterThan(0);
    expect((await harness.chat(key, { model: 'openai/dear' })).status).toBe(200);
  });

  test.each([
    { amountUsd: 0, reason: 'r' },
    { amountUsd: '0.0000000001', reason: 'r' },
    { amountUsd: '--1', reason: 'r' },
    { amountUsd: 'NaN', reason: 'r' },
    { amountUsd: -1e300, reason: 'r' },
    { amountUsd: 1 },
    { amountUsd: 1, reason: '' },
    { amountUsd: 1, reason: 'r', reference: '' },
  ])('refuses %j', async (body) => {
    const { userId } = await harness.account(1);
    expect((await ask(`users/${userId}/adjustments`, body)).status).toBe(400);
  });

  test('is for organizations too, and for nobody who is not there', async () => {
    const { userId } = await harness.account(0);
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
    expect((await ask(`orgs/${org.id}/adjustments`, { amountUsd: 4, reason: 'r' })).body.balanceUsd).toBe(4);
    expect((await ask(`orgs/${org.id}/adjustments`, { amountUsd: -5, reason: 'r' })).status).toBe(409);
    expect((await ask('users/usr-none/adjustments', { amountUsd: 4, reason: 'r' })).status).toBe(404);
    expect((await ask('users/system-funding/adjustments', { amountUsd: 4, reason: 'r' })).status).toBe(404);
  });
});

describe('a refund', () => {
  test('gives back what a call was charged, once, right after its answer', async () => {
    const { userId, key } = await harness.account(1);
    const { body } = await harness.chat(key, { model: 'openai/dear' });
    const cost = Number((body.usage as Json).cost);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask(`generations/${body.id}/refund`, { reason: 'cut off' })),
    );
    for (const answer of answers) {
      expect(answer.body).toMatchObject({ accountId: userId, refundedUsd: cost, balanceUsd: 1 });
    }
    expect(new Set(answers.map((answer) => answer.body.entryId)).size).toBe(1);
    expect(await kinds(userId)).toEqual([
      ['refund', cost],
      ['charge', -cost],
      ['credit', 1],
    ]);
    expect(await harness.spent(key)).toBe(0);
    const explained = await harness.operate('GET', `/admin/v1/generations/${body.id}/explain`);
    expect((explained.entries as Json[]).map(({ kind }) => kind)).toEqual(['charge', 'refund']);
    expect(explained.chargedUsd).toBe(String(cost));
  });

  test('is not owed for the month that is not issued yet', async () => {
    const { userId } = await harness.account(0);
    const plan = { billingPlan: 'monthly', creditLineUsd: 10 };
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId, ...plan });
    const made = await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'k', userId });
    const { body } = await harness.chat(String(made.key), { model: 'openai/dear' });
    await ask(`generations/${body.id}/refund`, { reason: 'cut off' });
    const now = new Date();
    const month = `year=${now.getUTCFullYear()}&month=${now.getUTCMonth() + 1}`;
    const statement = await harness.operate('GET', `/admin/v1/orgs/${org.id}/statements?${month}`);
    expect(statement).toMatchObject({ totalUsd: 0, dueUsd: 0 });
  });

  test('finds nothing to give back for a call that was never charged', async () => {
    expect((await ask('generations/gen-none/refund', { reason: 'r' })).status).toBe(404);
    expect((await ask('generations/gen-none/refund', {})).status).toBe(400);
  });
});
