// Connections to a provider are used again after every kind of answer that is complete: one that stays behind with each
// call would use up all that an address may have. A call that meets the close of its connection goes over another one.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

const CALLS = 25;
/** So that the whole answer fits into one read, and is more than a client is sent without a pause. */
const WORDS = 250;

let connections = 0;
/** Calls that are answered before the provider closes a connection as it reads one. */
let servedMax = Number.POSITIVE_INFINITY;
const served = new WeakMap<object, number>();
/** Faster than any client reads: all of a long answer, its end included, in one write. */
const provider = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const before = served.get(request.socket) ?? 0;
  served.set(request.socket, before + 1);
  if (before >= servedMax) {
    request.socket.destroy();
    return;
  }
  const { stream } = JSON.parse(Buffer.concat(chunks).toString()) as { stream?: boolean };
  const usage = { prompt_tokens: 1, completion_tokens: WORDS };
  const base = { id: 'c', created: 1, model: 'm' };
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }));
    return;
  }
  const frame = (delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${frame({ content: 'word ' }, null).repeat(WORDS)}${frame({}, 'stop', { usage })}data: [DONE]\n\n`);
}).on('connection', () => {
  connections += 1;
});

let harness: Harness;
let key: string;

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  harness = await startHarness({
    document: {
      providers: { talker: { protocol: 'openai', base_url, api_key: 'k' } },
      models: {
        'acme/fast': {
          pricing: { prompt: '0', completion: '1' },
          routes: [{ provider: 'talker', upstream_model: 'm' }],
        },
      },
    },
  });
  key = (await harness.account()).key;
});

afterAll(async () => {
  await harness.close();
  provider.close();
  provider.closeAllConnections();
});

const body = { model: 'acme/fast', messages: [{ role: 'user', content: 'go on' }] };

test('whole answers, one after another', async () => {
  connections = 0;
  for (let call = 0; call < CALLS; call += 1) expect((await harness.chat(key, body)).status).toBe(200);
  expect(connections).toBe(1);
});

test('STRM-01 streams that come faster than their client reads', async () => {
  connections = 0;
  for (let call = 0; call < CALLS; call += 1) {
    const text = await (
      await fetch(`${harness.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      })
    ).text();
    expect(text.match(/word/g)?.length).toBe(WORDS);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  }
  // A connection that is quiet for some seconds on a slow machine is replaced.
  expect(connections).toBeLessThan(CALLS / 2);
});

test('a connection that is closed as a call comes is no failure of its provider', async () => {
  connections = 0;
  servedMax = 1;
  const spentBefore = await harness.spent(key);
  for (let call = 0; call < CALLS; call += 1) {
    const answer = await harness.chat(key, body);
    expect(answer.status).toBe(200);
    const generation = async () =>
      (await harness.request('GET', `/v1/generation?id=${String(answer.body.id)}`, { key })).body.data;
    const attempts = [{ provider: 'talker', outcome: 'answered', status: 200, duration_ms: expect.any(Number) }];
    await expect.poll(generation).toMatchObject({ attempts });
  }
  const { frames, isDone } = await harness.stream(key, body);
  expect(isDone).toBe(true);
  expect(frames.at(-1)).toMatchObject({ usage: { completion_tokens: WORDS } });
  servedMax = Number.POSITIVE_INFINITY;
  expect(connections).toBeGreaterThanOrEqual(CALLS);
  expect(await harness.spent(key)).toBeCloseTo(spentBefore + ((CALLS + 1) * WORDS) / 1e6, 9);
  const health = await harness.operate('GET', '/admin/v1/health/routes');
  const route = (health.routes as Json[]).find(({ provider: name }) => name === 'talker');
  expect(route).toMatchObject({ state: 'healthy', errorRate: 0, lastError: null });
});
