// A provider that does not know, or does not keep, the limit of an answer that the caller has set: the stream ends with
// `length` where it is clearly beyond, and what was held for the limit is paid. Thinking and sources are no words.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

const LIMIT = 100;
const PIECE = 'forty words of no consequence at all. '.repeat(20);
/** Far more than `LIMIT` tokens can be, however they are written. */
const PIECES_MAX = 2_000;
const USAGE = { prompt_tokens: 10, completion_tokens: 400_000, total_tokens: 400_010 };

type Said = 'words' | 'calls' | 'thoughts' | 'sources';

/** What the upstream says without end. */
let says: Said = 'words';
let sentPieces = 0;
let server: Server;
let harness: Harness;

const eventOf = (json: Json): string =>
  `${typeof json.type === 'string' ? `event: ${json.type}\n` : ''}data: ${JSON.stringify({ ...json, id: 'x', created: 1, model: 'm' })}\n\n`;

const deltas: Readonly<Record<Said, Json>> = {
  words: { content: PIECE },
  calls: { tool_calls: [{ index: 0, function: { arguments: PIECE } }] },
  thoughts: { reasoning_content: PIECE },
  sources: { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', content: PIECE } }] },
};

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '' } };

const formats: Readonly<Record<string, { first: readonly Json[]; piece(): Json; last: readonly Json[] }>> = {
  '/v1/chat/completions': {
    first: [{ choices: [{ index: 0, delta: { role: 'assistant', content: 'So: ' } }] }],
    piece: () => ({ choices: [{ index: 0, delta: deltas[says] }] }),
    last: [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE }],
  },
  '/v1/responses': {
    first: [{ type: 'response.created', sequence_number: 0, response: { id: 'resp_1', output: [] } }],
    piece: () => ({ type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: PIECE }),
    last: [
      {
        type: 'response.completed',
        sequence_number: 2,
        response: {
          id: 'resp_1',
          status: 'completed',
          output: [],
          usage: { input_tokens: 10, output_tokens: 400_000 },
        },
      },
    ],
  },
};

async function stream(path: string, response: ServerResponse): Promise<void> {
  const { first, piece, last } = formats[path] as (typeof formats)[string];
  response.setHeader('content-type', 'text/event-stream');
  response.write(first.map(eventOf).join(''));
  if (says === 'calls')
    response.write(eventOf({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] }));
  for (sentPieces = 0; sentPieces < PIECES_MAX && !response.destroyed; sentPieces += 1) {
    if (!response.write(eventOf(piece()))) await new Promise((go) => response.once('drain', go).once('close', go));
    await nextRound();
  }
  if (!response.destroyed) response.end(last.map(eventOf).join('') + (path.includes('chat') ? 'data: [DONE]\n\n' : ''));
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    await request.toArray();
    await stream(request.url ?? '', response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  harness = await startHarness();
  const entry = { pricing: { prompt: '1', completion: '10' } };
  const models = Object.fromEntries(
    ['chat', 'responses'].map((provider) => [
      `acme/${provider}`,
      { routes: [{ provider, upstream_model: 'm' }], entry },
    ]),
  );
  const { providers, ...others } = configDocument(harness.simulator.url, { models });
  const speaking = {
    chat: { protocol: 'openai', base_url, api_key: 'key' },
    responses: { protocol: 'openai', base_url, api_key: 'key', responses: true },
  };
  await harness.operate('PUT', '/admin/v1/config', { ...others, providers: { ...(providers as Json), ...speaking } });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
  server.close();
  server.closeAllConnections();
});

const messages = [{ role: 'user', content: 'Hi.' }];
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
const dialects: Readonly<Record<string, readonly [string, Json]>> = {
  chat: ['/v1/chat/completions', { messages, tools, max_tokens: LIMIT }],
  completions: ['/v1/completions', { prompt: 'Hi.', max_tokens: LIMIT }],
  responses: ['/v1/responses', { input: 'Hi.', max_output_tokens: LIMIT }],
};

async function ask(dialect: string, upstream: string): Promise<{ end: string; key: string; userId: string }> {
  const caller = await harness.account(5);
  const [path, body] = dialects[dialect] as readonly [string, Json];
  const sent = { model: `acme/${upstream}`, stream: true, ...body };
  const { status, text } = await harness.request('POST', path, { key: caller.key, body: sent });
  expect(status).toBe(200);
  return { end: text.replaceAll(PIECE, ''), ...caller };
}

test.each([
  ['chat', 'chat', 'words'],
  ['chat', 'chat', 'calls'],
  ['chat', 'responses', 'words'],
  ['completions', 'chat', 'words'],
  ['responses', 'chat', 'words'],
  ['responses', 'responses', 'words'],
] as const)('BILL-02 %s of %s: endless %s end with the limit, for what was held', async (dialect, upstream, what) => {
  says = what;
  const { end, key, userId } = await ask(dialect, upstream);
  expect(end).toMatch(/"finish_reason":"length"|event: response\.incomplete.*\n.*"max_output_tokens"/);
  expect(end).not.toContain('"error":{');
  expect(end).toMatch(/"(?:tollgate_)?cost":0\.00\d/);
  expect(sentPieces).toBeLessThan(PIECES_MAX);
  // At ten dollars for a million tokens of the answer; the prompt is estimated.
  const spent = await harness.spent(key);
  expect(spent).toBeGreaterThanOrEqual((LIMIT * 10) / 1e6);
  expect(spent).toBeLessThan((LIMIT * 20) / 1e6);
  const { users } = (await harness.operate('GET', '/admin/v1/absorbed')) as { users: Json[] };
  expect(JSON.stringify(users.find((user) => user.userId === userId))).toContain('implausible');
});

test.each(['thoughts', 'sources'] as const)(
  'BILL-10 endless %s do not end a stream: they are no words',
  async (what) => {
    says = what;
    const { end } = await ask('chat', 'chat');
    expect(end).toContain('"finish_reason":"stop"');
    expect(sentPieces).toBe(PIECES_MAX);
  },
);
