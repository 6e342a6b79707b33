// A cap over two gateways that are processes of their own, as they are shipped.

import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { startHarness } from '../harness.ts';

const models = {
  'openai/dime': {
    commands: 'tokens-10-10+wait-50',
    entry: { pricing: { prompt: '0', completion: '0', request: '0.1' } },
  },
};

test('KEY-16 BRK-11 RACE-2 200 calls at once on two processes spend what a limit and a breaker allow', async () => {
  const harness = await startHarness({ models });
  onTestFinished(() => harness.close());
  const other = await GatewayProcess.prepare(models, {
    DATABASE_URL: harness.databaseUrl,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
  });
  onTestFinished(() => other.close());
  await other.start();

  const call = async (url: string, key: string): Promise<number> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'openai/dime', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.arrayBuffer();
    // On a busy machine the database may answer too late for a decision: a client that is asked to come back does so.
    return response.status === 503 ? call(url, key) : response.status;
  };
  const burst = async (key: string): Promise<Record<string, number>> => {
    const urls = [harness.url, other.url];
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => call(urls[index % 2]!, key)));
    return Object.fromEntries([...new Set(statuses)].map((each) => [each, statuses.filter((s) => s === each).length]));
  };

  const { userId } = await harness.account(100);
  const limited = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'limited' });
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('update api_keys set spend_limit_nano_usd = 1000000000 where id = $1', [limited.id]);
  await client.end();
  expect(await burst(String(limited.key))).toEqual({ 200: 10, 402: 190 });
  expect(await harness.spent(String(limited.key))).toBe(1);

  const watched = await harness.account(100);
  const body = { cbEnabled: true, cbHourlyUsd: 1 };
  await harness.request('PATCH', '/v1/account/circuit-breaker', { key: watched.key, body });
  expect(await burst(watched.key)).toEqual({ 200: 10, 429: 190 });
  expect(await harness.spent(watched.key)).toBe(1);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});
