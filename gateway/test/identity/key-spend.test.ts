// What a key has spent, as the list of keys shows it: in all, and against its present limit.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { folded } from '../folded.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { rows } from './rows.ts';

let harness: Harness;

beforeAll(async () => {
  const pricing = { prompt: '0', completion: '0', request: '0.01' };
  harness = await startHarness({ models: { 'openai/penny': { commands: 'tokens-10-10', entry: { pricing } } } });
});

afterAll(() => harness.close());

test('KEY-16 what was spent of a limit is in the list: of its period, and without one of all time', async () => {
  const { userId, key, keyId } = await harness.account(20);
  const made = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'm', keyType: 'management' });
  const manage = String(made.key);
  const change = (body: Json) => harness.request('PATCH', `/v1/keys/${keyId}`, { key: manage, body });
  const listed = async (): Promise<Json | undefined> => {
    const { body } = await harness.request('GET', '/v1/keys', { key: manage });
    return (body.keys as Json[]).find(({ id }) => id === keyId);
  };
  const moveDays = async (days: number) => {
    await folded((text) => rows(harness.databaseUrl, text));
    return rows(harness.databaseUrl, 'UPDATE usage_daily SET day = day + $2::int WHERE key_id = $1', [keyId, days]);
  };

  await change({ spendLimitUsd: 0.05, spendLimitPeriod: 'month' });
  await harness.chat(key, { model: 'openai/penny' });
  await harness.chat(key, { model: 'openai/penny' });
  expect(await listed()).toMatchObject({ spendLimitUsedUsd: 0.02, spentUsd: 0.02 });
  await moveDays(-40);
  expect(await listed()).toMatchObject({ spendLimitUsedUsd: 0, spentUsd: 0.02 });
  await change({ spendLimitPeriod: null });
  expect(await listed()).toMatchObject({ spendLimitUsedUsd: 0.02, spentUsd: 0.02 });
  await change({ spendLimitUsd: null });
  expect(await listed()).toMatchObject({ spendLimitUsedUsd: null, spentUsd: 0.02 });
});
