// Batches of messages with the Anthropic package: every request once in the results and in the books, and nobody
// else's.

import Anthropic from '@anthropic-ai/sdk';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const COST = 0.00005;

let harness: Harness;
let database: Client;

beforeAll(async () => {
  harness = await startHarness();
  const pricing = { prompt: '1', completion: '2' };
  const entry = { pricing, max_completion_tokens: 4096 };
  const route = (commands: string, provider: string) => ({
    routes: [{ provider, upstream_model: `sim-${commands}` }],
    entry,
  });
  const document = configDocument(harness.simulator.url, {
    models: {
      'acme/same': route('tokens-10-20', 'native'),
      'acme/other': route('tokens-10-20', 'sim'),
      'acme/slow': route('tokens-10-20+delay-300', 'native'),
      'acme/stalled': route('stall', 'native'),
      'acme/refused': route('status-400', 'native'),
    },
  });
  const providers = document.providers as Json;
  providers.native = { ...(providers.sim as Json), protocol: 'anthropic' };
  await harness.operate('PUT', '/admin/v1/config', document);
  database = new Client({ connectionString: harness.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await harness.close();
});

const clientOf = (key: string): Anthropic => new Anthropic({ apiKey: key, baseURL: harness.url, maxRetries: 0 });
const request = (custom_id: string, model = 'acme/same') => ({
  custom_id,
  params: { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Say hello.' }] },
});
const requests = (length: number, model?: string) =>
  Array.from({ length }, (_, index) => request(`line-${index}`, model));

const ended = (client: Anthropic, id: string) =>
  vi.waitFor(async () => {
    const batch = await client.messages.batches.retrieve(id);
    expect(batch.processing_status).toBe('ended');
    return batch;
  }, PATIENCE);

async function resultsOf(client: Anthropic, id: string): Promise<Anthropic.Messages.MessageBatchIndividualResponse[]> {
  const results = [];
  for await (const each of await client.messages.batches.results(id)) results.push(each);
  return results;
}

test('every request is run, charged and shown once, with what became of it', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const batch = await client.messages.batches.create({
    requests: [
      ...requests(20),
      request('other', 'acme/other'),
      request('refused', 'acme/refused'),
      request('nobody', 'acme/nobody'),
    ],
  });
  expect(batch).toMatchObject({
    ...{ type: 'message_batch', processing_status: 'in_progress', ended_at: null, results_url: null },
    request_counts: { processing: 23, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  });
  expect(batch.id).toMatch(/^msgbatch_/);
  const done = await ended(client, batch.id);
  expect(done.request_counts).toEqual({ processing: 0, succeeded: 21, errored: 2, canceled: 0, expired: 0 });
  const results = await resultsOf(client, batch.id);
  expect(results.map(({ custom_id }) => custom_id)).toEqual([
    ...requests(20).map(({ custom_id }) => custom_id),
    ...['other', 'refused', 'nobody'],
  ]);
  expect(results[0]?.result).toMatchObject({
    type: 'succeeded',
    message: {
      type: 'message',
      model: 'acme/same',
      usage: { input_tokens: 10, output_tokens: 20, tollgate_cost: COST },
    },
  });
  expect(results[20]?.result).toMatchObject({ type: 'succeeded', message: { model: 'acme/other' } });
  expect(results[22]?.result).toMatchObject({
    type: 'errored',
    error: { type: 'error', error: { type: 'invalid_request_error', code: 'unknown_model' } },
  });
  expect(await harness.spent(key)).toBeCloseTo(21 * COST, 12);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('what was canceled or has expired says so, line by line', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const { id } = await client.messages.batches.create({ requests: requests(100, 'acme/slow') });
  await vi.waitFor(async () => expect(await harness.spent(key)).toBeGreaterThan(0), PATIENCE);
  expect(await client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
  expect((await client.messages.batches.cancel(id)).cancel_initiated_at).not.toBeNull();
  await expect(client.messages.batches.delete(id)).rejects.toMatchObject({ status: 400 });
  const { request_counts: counts } = await ended(client, id);
  expect(counts.succeeded + counts.canceled).toBe(100);
  expect(counts.canceled).toBeGreaterThan(0);
  const types = (await resultsOf(client, id)).map(({ result }) => result.type);
  expect(types.filter((type) => type === 'canceled')).toHaveLength(counts.canceled);
  expect(await harness.spent(key)).toBeCloseTo(counts.succeeded * COST, 12);
  await expect(client.messages.batches.cancel(id)).rejects.toMatchObject({ status: 400 });

  const late = await client.messages.batches.create({ requests: requests(100, 'acme/slow') });
  await database.query("update batches set expires_at = now() - interval '1 s', due_at = now() where id = $1", [
    late.id,
  ]);
  const expired = await ended(client, late.id);
  expect(expired.request_counts.expired).toBeGreaterThan(0);
  expect((await resultsOf(client, late.id)).at(-1)?.result).toEqual({ type: 'expired' });
});

test('what a dead process was at is taken up although the batch is to be canceled', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const { id } = await client.messages.batches.create({ requests: requests(3, 'acme/slow') });
  // The state that another process leaves when it is killed while the batch is being canceled.
  await database.query("update batches set status = 'cancelling', cancelling_at = now() where id = $1", [id]);
  await database.query(
    `update batch_lines set state = 'running', due_at = now(), generation_id = 'gen-of-the-dead', called_at = now()
     where batch_id = $1 and line_no = 1 and state in ('waiting', 'running')`,
    [id],
  );
  const { request_counts } = await ended(client, id);
  expect(request_counts.succeeded).toBeGreaterThanOrEqual(1);
});

test.each<[string, Json]>([
  ['nothing', {}],
  ['no requests', { requests: [] }],
  ['a name twice', { requests: [request('a'), request('a')] }],
  ['a name that is none', { requests: [request('a b')] }],
  ['no params', { requests: [{ custom_id: 'a' }] }],
  ['params that are a list', { requests: [{ custom_id: 'a', params: [] }] }],
  ['a stream', { requests: [{ custom_id: 'a', params: { ...request('a').params, stream: true } }] }],
  ['too many', { requests: Array.from({ length: 10_001 }, (_, index) => ({ custom_id: `a${index}`, params: {} })) }],
])('is refused as a whole: %s', async (_, body) => {
  const { key } = await harness.account();
  const answer = await harness.request('POST', '/v1/messages/batches', { key, body });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  expect((await clientOf(key).messages.batches.list()).data).toEqual([]);
});

test("nobody sees, cancels or deletes somebody else's, in either form", async () => {
  const [one, two] = await Promise.all([harness.account(), harness.account()]);
  const owner = clientOf(one.key);
  const stranger = clientOf(two.key);
  const { id } = await owner.messages.batches.create({ requests: requests(1) });
  await ended(owner, id);
  const missing = { status: 404 };
  await expect(stranger.messages.batches.retrieve(id)).rejects.toMatchObject(missing);
  await expect(stranger.messages.batches.cancel(id)).rejects.toMatchObject(missing);
  await expect(stranger.messages.batches.delete(id)).rejects.toMatchObject(missing);
  const results = `/v1/messages/batches/${id}/results`;
  expect(await harness.request('GET', results, { key: two.key })).toMatchObject(missing);
  expect(await harness.request('GET', `/v1/batches/${id}`, { key: one.key })).toMatchObject(missing);
  expect((await harness.request('GET', '/v1/files', { key: one.key })).body).toMatchObject({ data: [] });
  expect(await owner.messages.batches.delete(id)).toEqual({ id, type: 'message_batch_deleted' });
  await expect(owner.messages.batches.retrieve(id)).rejects.toMatchObject(missing);
});

test('pages go both ways', async () => {
  const { key } = await harness.account();
  const client = clientOf(key);
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1)
    ids.unshift((await client.messages.batches.create({ requests: requests(1) })).id);
  const listed = [];
  for await (const { id } of client.messages.batches.list({ limit: 2 })) listed.push(id);
  expect(listed).toEqual(ids);
  const back = await client.messages.batches.list({ limit: 2, before_id: ids[4] as string });
  expect(back.data.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  expect(back.has_more).toBe(true);
});

test('an account whose calls hang keeps nobody else waiting', async () => {
  const [loud, quiet] = await Promise.all([harness.account(), harness.account()]);
  const { id } = await clientOf(loud.key).messages.batches.create({ requests: requests(50, 'acme/stalled') });
  const running = "select 1 from batch_lines where batch_id = $1 and state = 'running'";
  await vi.waitFor(async () => expect((await database.query(running, [id])).rowCount).toBeGreaterThan(0), PATIENCE);
  const client = clientOf(quiet.key);
  const done = await ended(client, (await client.messages.batches.create({ requests: requests(5) })).id);
  expect(done.request_counts.succeeded).toBe(5);
  expect((await database.query(running, [id])).rowCount).toBeLessThanOrEqual(24);
  await database.query('delete from batches where id = $1', [id]);
});
