// Calls that are answered later count under the network that they were ordered from, like those that are answered at
// once, and not under one that all customers share.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { freeModel, outcomeOf } from './free-bed.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
const ADDRESS_HEADER = 'x-client';
const MODEL = 'acme/free';
const UNHURRIED = { free_requests_per_minute: 100_000, paid_requests_per_minute: 100_000 };
const CALL = { model: MODEL, max_tokens: 10, messages: [{ role: 'user', content: 'Hi.' }] };

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: { [MODEL]: freeModel(100, 2) },
    document: { limits: { ...UNHURRIED, free_users_per_network: 1 } },
    env: { TOLLGATE_CLIENT_IP_HEADER: ADDRESS_HEADER, TOLLGATE_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

type From = Readonly<{ key: string; address: string }>;

const post = ({ key, address }: From, path: string, body: Json, headers: Record<string, string> = {}) =>
  harness.request('POST', path, { key, body, headers: { [ADDRESS_HEADER]: address, ...headers } });

const get = (key: string, path: string): Promise<Answer> => harness.request('GET', path, { key });

async function byJob(from: From): Promise<string> {
  const { body, text } = await post(from, '/v1/chat/completions', CALL, { Prefer: 'respond-async' });
  const result = await vi.waitFor(async () => {
    const answer = await get(from.key, `/v1/jobs/${String(body.id)}/result`);
    expect(answer.status, text).not.toBe(202);
    return answer;
  }, PATIENCE);
  return outcomeOf(result);
}

/** The results of a batch, as text. */
async function byMessageBatch(from: From): Promise<string> {
  const { body } = await post(from, '/v1/messages/batches', { requests: [{ custom_id: 'one', params: CALL }] });
  const path = `/v1/messages/batches/${String(body.id)}`;
  await vi.waitFor(async () => expect((await get(from.key, path)).body.processing_status).toBe('ended'), PATIENCE);
  return (await get(from.key, `${path}/results`)).text;
}

async function byFileBatch(from: From): Promise<string> {
  const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: CALL };
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([JSON.stringify(line)]), 'lines.jsonl');
  const headers = { Authorization: `Bearer ${from.key}` };
  const file = (await (await fetch(`${harness.url}/v1/files`, { method: 'POST', headers, body: form })).json()) as Json;
  const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const { body } = await post(from, '/v1/batches', order);
  const ended = await vi.waitFor(async () => {
    const batch = (await get(from.key, `/v1/batches/${String(body.id)}`)).body;
    expect(batch.status).toBe('completed');
    return batch;
  }, PATIENCE);
  return (await get(from.key, `/v1/files/${String(ended.output_file_id)}/content`)).text;
}

test('FREE-02 jobs and batches count under the network of whoever ordered them', async () => {
  const [first, neighbour, second, third] = await Promise.all([0, 0, 5, 5].map((usd) => harness.account(usd)));
  const here = { key: first?.key ?? '', address: '192.0.2.1' };
  expect([await byJob(here), await byJob(here)]).toEqual(['free', 'free']);
  // The network has had its share, whichever way a call comes.
  const beside = { key: neighbour?.key ?? '', address: '192.0.2.1' };
  expect(outcomeOf(await post(beside, '/v1/chat/completions', CALL))).toBe('429');
  expect(await byJob(beside)).toBe('429');
  // Other networks have not, and nobody there pays for what strangers have used up.
  const elsewhere = { key: second?.key ?? '', address: '198.51.100.1' };
  expect(await byJob(elsewhere)).toBe('free');
  expect(await byMessageBatch(elsewhere)).toContain('"type":"succeeded"');
  expect(await harness.spent(elsewhere.key)).toBe(0);
  const yonder = { key: third?.key ?? '', address: '203.0.113.1' };
  expect(await byFileBatch(yonder)).toContain('"status_code":200');
  expect(await harness.spent(yonder.key)).toBe(0);
});
