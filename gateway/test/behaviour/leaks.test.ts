// Canaries: a key, a prompt, an answer and the provider's key are sent through every kind of outcome, and then looked
// for in everything the gateway prints (at its most talkative) and in every row it stores.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHarness } from '../harness.ts';
import { GatewayProcess } from './gateway-process.ts';

const PROMPT = 'canary-prompt-7f3a91';
/** The simulator repeats the prompt in its answer, so the same word stands for both. */
const outcomes: Readonly<Record<string, string | undefined>> = {
  'openai/fine': undefined,
  'openai/status': 'status-400',
  'openai/refused': 'status-401',
  'openai/broken': 'bad-json',
  'openai/cut': 'reset-after-2',
  'openai/policy': 'policy',
  'openai/error': 'error-frame-1',
};
const models = Object.fromEntries(
  Object.entries(outcomes).map(([id, commands]) => [id, commands === undefined ? {} : { commands }]),
);

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await GatewayProcess.prepare(models, { TOLLGATE_LOG_LEVEL: 'trace' });
  await gateway.start();
});

afterAll(() => gateway.close());

test('GEN-13 ALOG-05 no key, prompt or answer is ever printed', async () => {
  const key = await gateway.account();
  const body = { messages: [{ role: 'user', content: PROMPT }] };
  for (const model of [...Object.keys(outcomes), 'nosuch/model']) {
    await gateway.call('POST', '/v1/chat/completions', key, { model, ...body });
    await (await gateway.stream(key, model, PROMPT)).text();
  }
  await gateway.call('POST', '/v1/chat/completions', `${key}x`, { model: 'openai/fine', ...body });
  await gateway.call('GET', `/v1/generation?id=${PROMPT}`, key);
  await fetch(`${gateway.url}/v1/chat/completions?key=${key}`, { method: 'POST', body: `{"broken ${PROMPT}` });
  expect(gateway.output.length).toBeGreaterThan(100);
  for (const secret of [key, PROMPT, 'upstream-secret-key', 'process-operator-token']) {
    expect(gateway.output).not.toContain(secret);
  }
});

test('GEN-13 KEY-06 no key, prompt or answer is ever stored', async () => {
  const harness = await startHarness({ models });
  const { key } = await harness.account();
  const messages = [{ role: 'user', content: PROMPT }];
  for (const model of Object.keys(outcomes)) {
    await harness.chat(key, { model, messages });
    await harness.stream(key, { model, messages });
  }
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  expect(tables.rows.length).toBeGreaterThan(5);
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    const stored = rows.map(({ row }) => row).join('\n');
    for (const secret of [key, PROMPT, 'upstream-secret-key']) expect(stored, name).not.toContain(secret);
  }
  await client.end();
  await harness.close();
});
