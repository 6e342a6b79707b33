// Calls with `Prefer: respond-async`: a job at once, the same answer later, one charge, and a signed call to the owner.

import { createHmac } from 'node:crypto';
import OpenAI from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { RECEIVER_HOST, startReceiver } from '../videos/receiver.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const COST = 0.00005;
const ASYNC = { Prefer: 'respond-async' };

let harness: Harness;
let database: Client;

beforeAll(async () => {
  // The receiver's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const pricing = { prompt: '1', completion: '2' };
  harness = await startHarness({
    env: { TOLLGATE_SSRF_ALLOW: '127.0.0.2/32' },
    start: {
      async lookup(name) {
        if (name === RECEIVER_HOST) return ['127.0.0.2'];
        throw new Error('no such name');
      },
    },
    models: {
      'acme/one': { commands: 'tokens-10-20', entry: { pricing } },
      'acme/stalled': { commands: 'stall', entry: { pricing } },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing } },
    },
  });
  database = new Client({ connectionString: harness.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
  await database.end();
  await harness.close();
});

const chat = (key: string, body: Json = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  harness.chat(key, { model: 'acme/one', ...body }, { ...ASYNC, ...headers });
const get = (key: string, path: string): Promise<Answer> => harness.request('GET', path, { key });
const over = (key: string, id: unknown): Promise<Json> =>
  vi.waitFor(async () => {
    const { body } = await get(key, `/v1/jobs/${String(id)}`);
    expect(body.ended_at).not.toBeNull();
    return body;
  }, PATIENCE);

test('a job at once, and the answer of the call when it is there', async () => {
  const { key } = await harness.account();
  const job = await chat(key);
  expect(job.status).toBe(202);
  expect(job.headers.get('preference-applied')).toBe('respond-async');
  expect(job.headers.get('location')).toBe(`/v1/jobs/${String(job.body.id)}`);
  expect(job.body).toMatchObject({ object: 'job', status: 'in_progress', endpoint: '/v1/chat/completions' });
  expect(await over(key, job.body.id)).toMatchObject({ status: 'completed' });
  const result = await get(key, `/v1/jobs/${String(job.body.id)}/result`);
  expect(result.status).toBe(200);
  expect(result.body).toMatchObject({ object: 'chat.completion', usage: { cost: COST } });
  expect(result.headers.get('x-generation-id')).toBe(result.body.id);
  expect(await harness.spent(key)).toBe(COST);
  const listed = await get(key, '/v1/jobs');
  expect(listed.body.data).toMatchObject([{ id: job.body.id, generation_id: result.body.id }]);
});

test.each<[string, string, Json]>([
  ['a stream', '/v1/chat/completions', { stream: true, messages: [{ role: 'user', content: 'Hi.' }] }],
  ['responses', '/v1/responses', { input: 'Hi.' }],
  ['messages', '/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: 'Hi.' }] }],
  ['completions', '/v1/completions', { prompt: 'Hi.' }],
  ['embeddings', '/v1/embeddings', { model: 'acme/embed', input: 'a' }],
  ['moderations', '/v1/moderations', { model: undefined, input: 'Hi.' }],
])('is the same as at once: %s', async (_, path, body) => {
  const { key } = await harness.account();
  const sent = { key, body: { model: 'acme/one', ...body } };
  const now = await harness.request('POST', path, sent);
  const job = await harness.request('POST', path, { ...sent, headers: { Prefer: 'wait=1, Respond-Async' } });
  expect(job.status).toBe(202);
  await over(key, job.body.id);
  const later = await get(key, `/v1/jobs/${String(job.body.id)}/result`);
  expect(later.status).toBe(200);
  expect(later.headers.get('content-type')).toBe(now.headers.get('content-type'));
  expect(shapeOf(later.text)).toEqual(shapeOf(now.text));
});

/** The parts that are the same in two answers: everything except ids and times. */
const shapeOf = (text: string): string =>
  text.replace(/"(?:id|item_id|[a-z_]*_id)":"[^"]*"/g, '').replace(/\d{10}/g, '');

test('what fails says why, and costs nothing', async () => {
  const { key } = await harness.account();
  const job = await chat(key, { model: 'acme/nobody' });
  expect(await over(key, job.body.id)).toMatchObject({ status: 'failed' });
  const result = await get(key, `/v1/jobs/${String(job.body.id)}/result`);
  expect(result).toMatchObject({ status: 400, body: { error: { code: 'unknown_model' } } });
  const poor = await harness.account('0');
  const unpaid = await chat(poor.key);
  await over(poor.key, unpaid.body.id);
  expect(await get(poor.key, `/v1/jobs/${String(unpaid.body.id)}/result`)).toMatchObject({ status: 402 });
  expect(await harness.spent(key)).toBe(0);
});

test('with an idempotency key it is one job, and one charge', async () => {
  const { key } = await harness.account();
  const client = new OpenAI({ apiKey: key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const send = () =>
    client.chat.completions.create(
      { model: 'acme/one', messages: [{ role: 'user', content: 'Hi.' }] },
      { headers: { ...ASYNC, 'Idempotency-Key': 'once' } },
    ) as unknown as Promise<Json>;
  const [one, two] = await Promise.all([send(), send()]);
  expect(one.id).toBe(two.id);
  // As if the process died after the job was made and before its answer was kept.
  await database.query(
    "update idempotent_calls set runner = 'dead', alive_at = now() - interval '1 minute', answer = null",
  );
  expect((await send()).id).toBe(one.id);
  await over(key, one.id);
  expect(await harness.spent(key)).toBe(COST);
  expect((await get(key, '/v1/jobs')).body.data).toHaveLength(1);
});

test('while it runs there is no result; cancelled before its turn there is none ever; over, it is deleted', async () => {
  const { key } = await harness.account();
  const job = await chat(key, { model: 'acme/stalled' });
  const path = `/v1/jobs/${String(job.body.id)}`;
  expect(await get(key, `${path}/result`)).toMatchObject({ status: 202, body: { status: 'in_progress' } });
  expect((await harness.request('DELETE', path, { key })).status).toBe(202);
  // As a line is put off that has not been charged, where its turn has come meanwhile.
  await database.query(
    `update batch_lines set state = 'waiting', generation_id = null, called_at = null
     where batch_id = $1 and state = 'running'`,
    [job.body.id],
  );
  expect(await over(key, job.body.id)).toMatchObject({ status: 'cancelled' });
  expect((await get(key, `${path}/result`)).status).toBe(404);
  expect(await harness.request('DELETE', path, { key })).toMatchObject({ status: 200, body: { deleted: true } });
  expect((await get(key, path)).status).toBe(404);
});

test("nobody sees or deletes somebody else's, and what is kept can be read by nobody", async () => {
  const [owner, stranger] = await Promise.all([harness.account(), harness.account()]);
  const job = await chat(owner.key, { messages: [{ role: 'user', content: 'plainly visible' }] });
  await over(owner.key, job.body.id);
  const path = `/v1/jobs/${String(job.body.id)}`;
  for (const [method, place] of [
    ['GET', path],
    ['GET', `${path}/result`],
    ['DELETE', path],
  ] as const) {
    expect((await harness.request(method, place, { key: stranger.key })).status).toBe(404);
  }
  expect((await get(stranger.key, '/v1/jobs')).body.data).toEqual([]);
  const { rows } = await database.query(
    "select encode(request, 'escape') || coalesce(encode(answer, 'escape'), '') as text from batch_lines where batch_id = $1",
    [job.body.id],
  );
  expect(JSON.stringify(rows)).not.toMatch(/plainly visible|choices|sk-tg/);
});

test('what cannot be kept or called is refused before anything is run', async () => {
  const { key, userId } = await harness.account();
  for (const url of ['http://example.com', 'https://127.0.0.1/', 'https://[::1]/', 'ftp://example.com', 'nothing']) {
    expect((await chat(key, {}, { 'X-Tollgate-Callback': url })).status, url).toBe(400);
  }
  expect((await harness.chat('sk-tg-none', {}, ASYNC)).status).toBe(401);
  await database.query(
    `insert into batches
       (id, account_id, user_id, key_id, endpoint, input_file_id, status, created_at, expires_at, due_at, form)
     select 'job_full_' || n, $1, $1, 'none', '/v1/none', '', 'running', now(), now() + interval '1 day',
       now() + interval '1 day', 'job'
     from generate_series(1, 200) n`,
    [userId],
  );
  expect((await chat(key)).status).toBe(429);
  expect((await get(key, '/v1/jobs')).body.data).toHaveLength(50);
  await database.query("delete from batches where id like 'job_full_%'");
});

test('the owner is called when it is over, with a signature that can be checked', async () => {
  const receiver = await startReceiver();
  const { key } = await harness.account();
  const { body } = await get(key, '/v1/jobs/callback-secret');
  receiver.answerWith((response, times) => {
    response.statusCode = times === 1 ? 500 : 200;
    response.end();
  });
  const job = await chat(key, {}, { 'X-Tollgate-Callback': receiver.url });
  await over(key, job.body.id);
  await vi.waitFor(() => expect(receiver.heard).toHaveLength(1), PATIENCE);
  // A call that is under way falls due later than one that was put off.
  const again = `update job_callbacks set next_attempt_at = now()
                 where job_id = $1 and state = 'waiting' and next_attempt_at < now() + interval '30 seconds'`;
  await vi.waitFor(async () => {
    await database.query(again, [job.body.id]);
    expect(receiver.heard).toHaveLength(2);
  }, PATIENCE);
  const [first, second] = receiver.heard;
  expect(second?.body).toMatchObject({ type: 'job.completed', data: { id: job.body.id, status: 'completed' } });
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  const signed = `${second?.headers['webhook-id']}.${second?.headers['webhook-timestamp']}.${JSON.stringify(second?.body)}`;
  const secret = Buffer.from(String(body.secret).slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  expect(second?.headers['webhook-signature']).toBe(`v1,${signature}`);
  const stranger = await harness.account();
  expect((await get(stranger.key, '/v1/jobs/callback-secret')).body.secret).not.toBe(body.secret);
  await vi.waitFor(async () => {
    const { rows } = await database.query('select state, url from job_callbacks where job_id = $1', [job.body.id]);
    expect(rows).toEqual([{ state: 'sent', url: null }]);
  }, PATIENCE);
  await receiver.close();
});
