// Files and batches with the openai package: every line once in the results and in the books, and nobody else's.

import OpenAI, { toFile } from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const COST = 0.00005;

const clock = new ShiftedClock();
let harness: Harness;
let database: Client;

beforeAll(async () => {
  const pricing = { prompt: '1', completion: '2' };
  harness = await startHarness({
    start: { clock },
    models: {
      'acme/one': { commands: 'tokens-10-20', entry: { pricing } },
      'acme/slow': { commands: 'tokens-10-20+delay-300', entry: { pricing } },
      'acme/stalled': { commands: 'stall', entry: { pricing } },
      'acme/refused': { commands: 'status-400', entry: { pricing } },
      'acme/busy': { commands: 'status-429+retry-after-1', entry: { pricing } },
      'acme/long': { commands: 'tokens-10-900000+size-18000000', entry: { pricing } },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing } },
    },
  });
  database = new Client({ connectionString: harness.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await harness.close();
});

const clientOf = (key: string): OpenAI => new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
const messages = [{ role: 'user', content: 'Say hello.' }];
const line = (customId: string, body: Json, url = '/v1/chat/completions'): string =>
  JSON.stringify({ custom_id: customId, method: 'POST', url, body });
const call = (customId: string, model = 'acme/one'): string => line(customId, { model, messages });

async function start(
  client: OpenAI,
  lines: readonly string[],
  endpoint: '/v1/chat/completions' | '/v1/embeddings' = '/v1/chat/completions',
) {
  const file = await client.files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
  });
  return client.batches.create({
    input_file_id: file.id,
    endpoint,
    completion_window: '24h',
    metadata: { for: 'test' },
  });
}

const ended = (client: OpenAI, id: string) =>
  vi.waitFor(async () => {
    const batch = await client.batches.retrieve(id);
    expect(['completed', 'failed', 'cancelled', 'expired']).toContain(batch.status);
    return batch;
  }, PATIENCE);

/** For lines that are put off: the clock goes on while they wait. */
const endedInTime = (client: OpenAI, id: string, status: OpenAI.Batch['status']) =>
  vi.waitFor(async () => {
    clock.move(1_000);
    const batch = await client.batches.retrieve(id);
    expect(batch.status).toBe(status);
    return batch;
  }, PATIENCE);

async function linesOf(client: OpenAI, fileId: string | null | undefined): Promise<Json[]> {
  if (fileId === null || fileId === undefined) return [];
  const text = await (await client.files.content(fileId)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as Json);
}

test('every line is run, charged and shown once, those that fail apart', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const names = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const batch = await start(client, [
    ...names.map((name) => call(name)),
    call('refused', 'acme/refused'),
    call('nobody', 'acme/nobody'),
  ]);
  expect(batch).toMatchObject({ object: 'batch', status: 'validating', metadata: { for: 'test' } });
  const done = await ended(client, batch.id);
  expect(done).toMatchObject({ status: 'completed', request_counts: { total: 32, completed: 30, failed: 2 } });
  const results = await linesOf(client, done.output_file_id);
  expect(results.map(({ custom_id }) => custom_id)).toEqual(names);
  expect(results[0]).toMatchObject({
    error: null,
    response: { status_code: 200, body: { model: 'acme/one', usage: { cost: COST } } },
  });
  const failures = await linesOf(client, done.error_file_id);
  expect(failures.map(({ custom_id }) => custom_id)).toEqual(['refused', 'nobody']);
  expect(failures[1]).toMatchObject({ response: { status_code: 400, body: { error: { code: 'unknown_model' } } } });
  expect(await harness.spent(key)).toBeCloseTo(30 * COST, 12);
  const output = await client.files.retrieve(done.output_file_id ?? '');
  expect(output.bytes).toBe((await (await client.files.content(output.id)).text()).length);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('embeddings too, and a batch runs out of money line by line', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const embed = (name: string) => line(name, { model: 'acme/embed', input: 'a' }, '/v1/embeddings');
  const done = await ended(client, (await start(client, [embed('a'), embed('b')], '/v1/embeddings')).id);
  expect(done.request_counts).toMatchObject({ completed: 2 });
  const poor = await harness.account('0.0002');
  const lines = Array.from({ length: 10 }, (_, index) =>
    line(String(index), { model: 'acme/one', max_tokens: 20, messages }),
  );
  const spent = await ended(clientOf(poor.key), (await start(clientOf(poor.key), lines)).id);
  expect(spent.request_counts?.failed).toBeGreaterThan(0);
  expect(await harness.spent(poor.key)).toBeLessThanOrEqual(0.0002);
  const [failure] = await linesOf(clientOf(poor.key), spent.error_file_id);
  expect(failure).toMatchObject({ response: { status_code: 402 } });
});

test.each<[string, readonly string[], string]>([
  ['no JSON', [call('a'), 'x'], 'invalid_json_line'],
  ['a name twice', [call('a'), call('a')], 'duplicate_custom_id'],
  ['another endpoint', [line('a', {}, '/v1/embeddings')], 'mismatched_endpoint'],
  ['an operator route', [line('a', {}, '/admin/v1/users')], 'mismatched_endpoint'],
  ['no body', [JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions' })], 'invalid_body'],
  [
    'another method',
    [JSON.stringify({ custom_id: 'a', method: 'GET', url: '/v1/chat/completions', body: {} })],
    'invalid_method',
  ],
  ['a stream', [line('a', { stream: true })], 'invalid_body'],
  ['a name that is none', [line('', {})], 'invalid_custom_id'],
  ['empty lines', ['', ' '], 'empty_file'],
])('a file that cannot be run fails as a whole, and nothing is called: %s', async (_, lines, code) => {
  const { key } = await harness.account();
  const client = clientOf(key);
  harness.simulator.clearRequests();
  const done = await ended(client, (await start(client, lines)).id);
  expect(done.status).toBe('failed');
  expect(done.errors?.data?.[0]?.code).toBe(code);
  expect(harness.simulator.requests).toEqual([]);
});

test('a batch is cancelled, and what has been run can be had', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const lines = Array.from({ length: 200 }, (_, index) => call(String(index), 'acme/slow'));
  const batch = await start(client, lines);
  await vi.waitFor(
    async () => expect((await client.batches.retrieve(batch.id)).request_counts?.completed).toBeGreaterThan(0),
    PATIENCE,
  );
  expect((await client.batches.cancel(batch.id)).status).toBe('cancelling');
  const done = await ended(client, batch.id);
  expect(done.status).toBe('cancelled');
  const completed = done.request_counts?.completed ?? 0;
  expect(completed).toBeLessThan(200);
  expect(await linesOf(client, done.output_file_id)).toHaveLength(completed);
  expect(await harness.spent(key)).toBeCloseTo(completed * COST, 12);
  await expect(client.batches.cancel(batch.id)).rejects.toMatchObject({ status: 409 });
});

test("nobody sees, runs or deletes somebody else's", async () => {
  const [one, two] = await Promise.all([harness.account(), harness.account()]);
  const owner = clientOf(one.key);
  const stranger = clientOf(two.key);
  const batch = await start(owner, [call('a')]);
  const done = await ended(owner, batch.id);
  const missing = { status: 404 };
  await expect(stranger.files.retrieve(batch.input_file_id)).rejects.toMatchObject(missing);
  await expect(stranger.files.content(done.output_file_id ?? '')).rejects.toMatchObject(missing);
  await expect(stranger.files.delete(batch.input_file_id)).rejects.toMatchObject(missing);
  await expect(stranger.batches.retrieve(batch.id)).rejects.toMatchObject(missing);
  await expect(stranger.batches.cancel(batch.id)).rejects.toMatchObject(missing);
  const foreign = {
    input_file_id: batch.input_file_id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  } as const;
  await expect(stranger.batches.create(foreign)).rejects.toMatchObject({ status: 400 });
  expect((await stranger.files.list()).data).toEqual([]);
  expect((await stranger.batches.list()).data).toEqual([]);
  expect((await owner.files.list()).data.map(({ id }) => id)).toContain(batch.input_file_id);
  expect((await owner.batches.list()).data.map(({ id }) => id)).toEqual([batch.id]);
  expect(await owner.files.delete(batch.input_file_id)).toMatchObject({ deleted: true });
  await expect(owner.files.retrieve(batch.input_file_id)).rejects.toMatchObject(missing);
});

test('what is kept can be read by nobody', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  await ended(
    client,
    (
      await start(client, [
        line('seen', { model: 'acme/one', messages: [{ role: 'user', content: 'plainly visible' }] }),
      ])
    ).id,
  );
  const { rows } = await database.query(
    `select encode(content, 'escape') as text from file_parts
     union all select encode(request, 'escape') || encode(answer, 'escape') from batch_lines where answer is not null`,
  );
  expect(JSON.stringify(rows)).not.toMatch(/plainly visible|choices/);
});

test('an account has no more under way than it may, and revoking its key stops its lines', async () => {
  const { key, userId, keyId } = await harness.account();
  const client = clientOf(key);
  const batches = [];
  for (let index = 0; index < 20; index += 1)
    batches.push(await start(client, [call('a', 'acme/stalled'), call('b', 'acme/stalled')]));
  await expect(start(client, [call('a')])).rejects.toMatchObject({ status: 429 });
  await harness.operate('DELETE', `/admin/v1/keys/${keyId}`).catch(() => {});
  await database.query("update batches set status = 'cancelling', due_at = now() where account_id = $1", [userId]);
});

test('files and results go when they are said to, and answers go with them', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const upload = async (seconds: number, anchor = 'created_at') =>
    client.files.create({
      purpose: 'batch',
      file: await toFile(Buffer.from(call('a')), 'in.jsonl'),
      expires_after: { anchor: anchor as 'created_at', seconds },
    });
  const file = await upload(3_600);
  expect(file.expires_at).toBe(file.created_at + 3_600);
  for (const [seconds, anchor] of [[3_599], [2_592_001], [3_600.5], [3_600, 'last_active_at']] as const) {
    await expect(upload(seconds, anchor)).rejects.toMatchObject({ status: 400 });
  }
  const create = (seconds: number) =>
    client.batches.create({
      ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
      output_expires_after: { anchor: 'created_at', seconds },
    });
  await expect(create(60)).rejects.toMatchObject({ status: 400 });
  const batch = await ended(client, (await create(7_200)).id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect(batch.usage).toEqual({
    ...{ input_tokens: 10, output_tokens: 20, total_tokens: 30 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  });
  const output = await client.files.retrieve(batch.output_file_id ?? '');
  expect(output.expires_at).toBe(output.created_at + 7_200);
  const listed = async (query: OpenAI.FileListParams) => (await client.files.list(query)).data.map(({ id }) => id);
  expect(await listed({ order: 'asc', limit: 10_000 })).toEqual([file.id, output.id]);
  expect(await listed({ order: 'asc', after: file.id })).toEqual([output.id]);
  expect(await listed({})).toEqual([output.id, file.id]);

  // An expired file cannot be read even before a sweep; its answers are removed by the sweep.
  await database.query(`update files set expires_at = '1970-01-02' where id = $1`, [file.id]);
  await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  expect(await listed({})).toEqual([output.id]);
  await client.files.delete(output.id);
  const { rows } = await database.query('select answer from batch_lines where batch_id = $1', [batch.id]);
  expect(rows).toEqual([]);
});

test('a line that comes too soon for its provider waits for as long as it takes', async () => {
  const client = clientOf((await harness.account()).key);
  // More often than a failing line is tried.
  const refusals = 7;
  for (let refusal = 0; refusal < refusals; refusal += 1) harness.simulator.script('status-429+retry-after-1');
  const { id } = await start(client, [call('a')]);
  const batch = await endedInTime(client, id, 'completed');
  expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
});

test('BILL-08 a line that a process charged before it died is charged once, also when its next try comes too soon', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const generationId = String((await harness.chat(key, { model: 'acme/one' })).headers.get('x-generation-id'));
  const charges = async (): Promise<number | null> =>
    (await database.query("select 1 from journal_entries where kind = 'charge'")).rowCount;
  const before = await charges();
  for (let refusal = 0; refusal < 6; refusal += 1) harness.simulator.script('status-429+retry-after-1');
  const { id } = await start(client, [call('a')]);
  // As a process leaves it that is killed after the charge and before the answer is kept.
  const name = `update batch_lines set generation_id = $2, called_at = now()
                where batch_id = $1 and state = 'waiting'`;
  await vi.waitFor(async () => expect((await database.query(name, [id, generationId])).rowCount).toBe(1), PATIENCE);
  const batch = await endedInTime(client, id, 'completed');
  expect(await linesOf(client, batch.output_file_id)).toMatchObject([{ id: `batch_req_${generationId}` }]);
  expect(await charges()).toBe(before);
});

test('BILL-08 a line that was charged and put off has its answer although its batch is cancelled', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const generationId = String((await harness.chat(key, { model: 'acme/one' })).headers.get('x-generation-id'));
  for (let refusal = 0; refusal < 2; refusal += 1) harness.simulator.script('status-429+retry-after-1');
  const { id } = await start(client, [call('a')]);
  // As a process leaves it that is killed after the charge, and the next one that comes too soon.
  const name = `update batch_lines set generation_id = $2, called_at = now(), due_at = now() + interval '1 hour'
                where batch_id = $1 and state = 'waiting'`;
  await vi.waitFor(async () => expect((await database.query(name, [id, generationId])).rowCount).toBe(1), PATIENCE);
  await client.batches.cancel(id);
  clock.move(3_600_000);
  const batch = await endedInTime(client, id, 'cancelled');
  expect(await linesOf(client, batch.output_file_id)).toMatchObject([{ id: `batch_req_${generationId}` }]);
  expect(await harness.spent(key)).toBe(COST);
});

test('where a batch was ordered from is known as long as it runs, and to nobody afterwards', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const networkOf = async (id: string): Promise<unknown> =>
    (await database.query('select network from batches where id = $1', [id])).rows[0]?.network;
  const waiting = await start(client, [call('a', 'acme/busy')]);
  expect(await networkOf(waiting.id)).toBe('127.0.0.1');
  await client.batches.cancel(waiting.id);
  const { id } = await start(client, [call('a')]);
  await ended(client, id);
  expect(await networkOf(id)).toBeNull();
});

test('BILL-04 BILL-08 an answer that is too large to be kept is asked for once, and its charge given back', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const asked = (): number => harness.simulator.requests.filter(({ json }) => isLong(json)).length;
  const isLong = (json: unknown): boolean => JSON.stringify(json ?? null).includes('size-18000000');
  const { id } = await start(client, [line('long', { model: 'acme/long', messages, max_tokens: 1_000_000 })]);
  const batch = await ended(client, id);
  expect(batch.request_counts).toEqual({ total: 1, completed: 0, failed: 1 });
  const [told] = await linesOf(client, batch.error_file_id);
  expect(told).toMatchObject({ response: { status_code: 502, body: { error: { code: 'upstream_unavailable' } } } });
  expect(asked()).toBe(1);
  expect(await harness.spent(key)).toBe(0);
  // Like an answer that is too large to be delivered, it counts as unpaid.
  expect((await harness.request('GET', '/v1/account/exposure', { key })).body.unpaidUsd).toBeGreaterThan(0);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
});

test('BILL-08 a charged line without an answer at the end of its time fails, and its charge is given back', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const generationId = String((await harness.chat(key, { model: 'acme/one' })).headers.get('x-generation-id'));
  const { id } = await start(client, [call('a', 'acme/busy')]);
  // As a process leaves it that is killed after the charge.
  const name = `update batch_lines set generation_id = $2, called_at = now() where batch_id = $1 and state = 'waiting'`;
  await vi.waitFor(async () => expect((await database.query(name, [id, generationId])).rowCount).toBe(1), PATIENCE);
  await client.batches.cancel(id);
  clock.move(24 * 3_600_000);
  const batch = await endedInTime(client, id, 'cancelled');
  expect(batch.request_counts).toEqual({ total: 1, completed: 0, failed: 1 });
  expect(await linesOf(client, batch.error_file_id)).toMatchObject([{ response: { status_code: 429 } }]);
  const refunds = "select 1 from journal_entries where kind = 'refund' and generation_id = $1";
  expect((await database.query(refunds, [generationId])).rowCount).toBe(1);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
});
