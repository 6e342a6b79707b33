// Names that clients invent do not make the sums grow without limit.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ models: { 'acme/m': { commands: 'tokens-1-1' } } });
});

afterAll(() => harness.close());

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
