// What one account may keep and have under way, when it asks for all of it at the same moment.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

const BATCHES_MAX = 20;
const FILES_MAX = 1_000;

let harness: Harness;
let database: Client;

beforeAll(async () => {
  harness = await startHarness({ models: { 'acme/stalled': { commands: 'stall' } } });
  database = new Client({ connectionString: harness.databaseUrl });
  await database.connect();
});

afterAll(async () => {
  await database.end();
  await harness.close();
});

const LINE = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'acme/stalled', messages: [{ role: 'user', content: 'Say hello.' }] },
});

async function upload(key: string): Promise<Response> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([LINE]), 'in.jsonl');
  return fetch(`${harness.url}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
}

const count = (statuses: readonly number[], wanted: number): number =>
  statuses.filter((status) => status === wanted).length;

test('batches that are made at once are no more than may be under way, in both forms together', async () => {
  const { key } = await harness.account();
  const { id } = (await (await upload(key)).json()) as { id: string };
  const ofFile = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const params = { model: 'acme/stalled', max_tokens: 16, messages: [{ role: 'user', content: 'Say hello.' }] };
  const ofMessages = { requests: [{ custom_id: 'a', params }] };
  const answers = await Promise.all(
    Array.from({ length: 3 * BATCHES_MAX }, (_, index) =>
      index % 2 === 0
        ? harness.request('POST', '/v1/batches', { key, body: ofFile })
        : harness.request('POST', '/v1/messages/batches', { key, body: ofMessages }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([BATCHES_MAX, 2 * BATCHES_MAX]);
});

test('files that are sent at once are no more than may be kept', async () => {
  const { key, userId } = await harness.account();
  const room = 5;
  await database.query(
    `insert into files (id, account_id, user_id, purpose, file_name, bytes, created_at, expires_at)
     select 'file-full-' || n, $1, $1, 'batch', 'in.jsonl', 1, now(), now() + interval '1 day' from generate_series(1, $2::int) n`,
    [userId, FILES_MAX - room],
  );
  const statuses = (await Promise.all(Array.from({ length: 30 }, () => upload(key)))).map(({ status }) => status);
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([room, 30 - room]);
});

test('DOS-1 an account that never had credit keeps a hundred megabytes of files, and more from its first credit on', async () => {
  const { key, userId } = await harness.account(0);
  await database.query(
    `insert into files (id, account_id, user_id, purpose, file_name, bytes, created_at, expires_at)
     values ('file-before-credit', $1, $1, 'batch', 'in.jsonl', $2, now(), now() + interval '1 day')`,
    [userId, 100 * 1024 * 1024 - LINE.length],
  );
  expect((await upload(key)).status).toBe(200);
  const refusal = await upload(key);
  expect(refusal.status).toBe(429);
  expect(JSON.stringify(await refusal.json())).toContain('100 MB before its first credit');
  await harness.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 1, note: 'test' });
  expect((await upload(key)).status).toBe(200);
});
