// Names that clients invent do not make the sums grow without limit.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ models: { 'acme/m': { commands: 'tokens-1-1' } } });
});

afterAll(() => harness.close());

async function recordedName(key: string, title: string): Promise<unknown> {
  const { body } = await harness.chat(key, { model: 'acme/m' }, { 'X-Title': title });
  const generation = await harness.request('GET', `/v1/generation?id=${body.id}`, { key });
  return (generation.body.data as Json).app_name;
}

test('AUTH-09 a name in UTF-8 is recorded as it was meant', async () => {
  const { key } = await harness.account();
  const names: Readonly<Record<string, string>> = {
    'Bücher 日本 🔑': 'Bücher 日本 🔑',
    [`${'x'.repeat(127)}🔑`]: 'x'.repeat(127),
  };
  for (const [title, recorded] of Object.entries(names)) {
    // One character per byte, as a client that sends UTF-8 puts it on the wire.
    const sent = Buffer.from(title, 'utf8').toString('latin1');
    expect(await recordedName(key, sent), title).toBe(recorded);
  }
  expect(await recordedName(key, 'Caf\u00e9')).toBe('Café');
});

test('AUTH-09 an account has 200 names of applications a day; the calls of all others are summed as one', async () => {
  const { key, userId } = await harness.account();
  const call = (title: string) => harness.chat(key, { model: 'acme/m' }, { 'X-Title': title });
  expect((await call('Mine')).status).toBe(200);
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(Array.from({ length: 41 }, (_, index) => call(`app ${round} ${index}`)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  expect((await call('Mine')).status).toBe(200);
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  const sums = `select app_name, sum(requests)::int as requests from usage_daily_now where account_id = $1 group by 1`;
  const { rows } = await client.query<{ app_name: string; requests: number }>(sums, [userId]);
  await client.end();
  const requests = Object.fromEntries(rows.map((row) => [row.app_name, row.requests]));
  expect([rows.length, requests.Mine, requests.other]).toEqual([201, 2, 6]);
});
