// An answer that its upstream ends with an error: by the specification it is charged by the usage that the upstream
// states, and free without one, whole or as a stream, whichever format the client reads.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

const USAGE = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
/** At one dollar for a million tokens of the prompt, and two for those of the answer. */
const COST_USD = 0.002;

type Place = 'in its last frame' | 'after it' | 'nowhere';

let place: Place = 'nowhere';
let server: Server;
let harness: Harness;

const eventOf = (json: Json): string => `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', ...json })}\n\n`;

function streamText(): string {
  const choice = (delta: Json, reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason: reason }] });
  const last = { ...choice({}, 'error'), ...(place === 'in its last frame' ? { usage: USAGE } : {}) };
  const after = place === 'after it' ? eventOf({ choices: [], usage: USAGE }) : '';
  return `${eventOf(choice({ role: 'assistant', content: 'Half' }, null))}${eventOf(last)}${after}data: [DONE]\n\n`;
}

function wholeText(): string {
  const message = { role: 'assistant', content: 'Half' };
  const usage = place === 'nowhere' ? {} : { usage: USAGE };
  return JSON.stringify({
    id: 'x',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'error' }],
    ...usage,
  });
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { stream: isStream } = JSON.parse((await request.toArray()).join('')) as { stream?: boolean };
    response.setHeader('content-type', isStream === true ? 'text/event-stream' : 'application/json');
    response.end(isStream === true ? streamText() : wholeText());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  harness = await startHarness();
  const models = {
    'acme/ending': {
      routes: [{ provider: 'ending', upstream_model: 'm' }],
      entry: { pricing: { prompt: '1', completion: '2' } },
    },
  };
  const { providers, ...others } = configDocument(harness.simulator.url, { models });
  const ending = { protocol: 'openai', base_url, api_key: 'key' };
  await harness.operate('PUT', '/admin/v1/config', { ...others, providers: { ...(providers as Json), ending } });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
  server.close();
});

const dialects: Readonly<Record<string, readonly [string, Json]>> = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi.' }] }],
  messages: ['/v1/messages', { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 900 }],
  responses: ['/v1/responses', { input: 'Hi.' }],
};
const cells = Object.keys(dialects).flatMap((dialect) =>
  [false, true].flatMap((stream) =>
    (['in its last frame', 'after it', 'nowhere'] as const).map((where) => ({ dialect, stream, where })),
  ),
);

const ask = async (dialect: string, more: Json): Promise<{ response: Response; text: string; key: string }> => {
  const { key } = await harness.account(5);
  const [path, body] = dialects[dialect] ?? ['', {}];
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/ending', ...more, ...body }),
  });
  return { response, text: await response.text(), key };
};

async function expectCost(costUsd: number, key: string, { headers }: Response): Promise<void> {
  const spent = async (): Promise<unknown> =>
    ((await harness.request('GET', '/v1/credits', { key })).body.data as Json).total_usage;
  await expect.poll(spent).toBe(costUsd);
  const path = `/v1/generation?id=${headers.get('x-generation-id')}`;
  const { body: found } = await harness.request('GET', path, { key });
  expect((found.data as Json).usage).toMatchObject({ cost: costUsd });
}

test.each(cells)(
  'BILL-04 BILL-05 STRM-08 $dialect, stream $stream, usage $where',
  async ({ dialect, stream, where }) => {
    place = where;
    const { response, text, key } = await ask(dialect, { stream });
    expect([response.status, text.includes('Half')]).toEqual([200, true]);
    if (stream) expect(text).toMatch(/upstream_unavailable|api_error|upstream_error/);
    await expectCost(where === 'nowhere' ? 0 : COST_USD, key, response);
  },
);

test('STRM-08 a stream with several choices of which one ends so ends with it, and is free', async () => {
  place = 'in its last frame';
  const { response, text, key } = await ask('chat', { stream: true, n: 2 });
  expect(text).toMatch(/Half.*"finish_reason":"error".*upstream_unavailable/s);
  await expectCost(0, key, response);
});
