// Connections to a provider are used again after every kind of answer that is complete: one that stays behind with each
// call would use up all that an address may have.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';

const CALLS = 25;
/** So that the whole answer fits into one read, and is more than a client is sent without a pause. */
const WORDS = 250;

let connections = 0;
/** Faster than any client reads: all of a long answer, its end included, in one write. */
const provider = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
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
