// An upstream states an error beside an answer that has its words and its end: it charges for it, and so does the
// gateway, whole or as a stream, in every format. What it says of the error reaches nobody. Without a word, or without
// an end, the answer has failed: it is free, and another provider is asked.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configDocument, type Harness, type Json, startHarness } from '../harness.ts';

/** At one dollar for a million tokens of the prompt, and two for those of the answer. */
const COST_USD = 0.002;
const CHAT_USAGE = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
const USAGE = { input_tokens: 1_000, output_tokens: 500 };
/** It blames the request, so that the route stays open however often it comes. */
const ERROR = { type: 'invalid_request_error', code: 400, message: 'key sk-secret of node-17 broke' };

type Format = Readonly<{ whole(): Json; events(): readonly Json[]; errorEvent?: Json }>;

let words = 'Half';
let hasEnd = true;
/** What comes behind the end: an error in an event of its own, what is no event, nothing at all for now, or the usage alone. */
let behind: 'error' | 'garbage' | 'silence' | 'usage' | null = null;
/** The words come with the end, so that a client of the same format gets nothing before it. */
let isAtOnce = false;
let error: unknown = ERROR;
let server: Server;
let harness: Harness;

const item = () => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
});
const response = () => ({ id: 'resp_1', status: hasEnd ? 'completed' : 'in_progress', output: [item()], usage: USAGE });

const formats: Readonly<Record<string, Format>> = {
  '/v1/chat/completions': {
    whole: () => ({
      choices: [{ index: 0, message: { role: 'assistant', content: words }, finish_reason: hasEnd ? 'stop' : null }],
      usage: CHAT_USAGE,
      error,
    }),
    events: () => [
      { choices: [{ index: 0, delta: { role: 'assistant', content: isAtOnce ? '' : words } }] },
      {
        choices: [{ index: 0, delta: isAtOnce ? { content: words } : {}, finish_reason: hasEnd ? 'stop' : null }],
        ...{ usage: behind === 'usage' ? null : CHAT_USAGE, error },
      },
    ],
    errorEvent: {},
  },
  '/v1/messages': {
    whole: () => ({
      ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: words }] },
      ...{ stop_reason: hasEnd ? 'end_turn' : null, usage: USAGE, error },
    }),
    events: () => [
      { type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 1_000 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: hasEnd ? 'end_turn' : null }, usage: USAGE, error },
      ...(behind === null ? [{ type: 'message_stop' }] : []),
    ],
    errorEvent: { type: 'error' },
  },
  '/v1/responses': {
    whole: () => ({ ...response(), error }),
    events: () => [
      { type: 'response.created', sequence_number: 0, response: { ...response(), status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: words },
      { type: 'response.output_item.done', sequence_number: 2, output_index: 0, item: item() },
      {
        type: hasEnd ? 'response.completed' : 'response.in_progress',
        ...{ sequence_number: 3, response: response(), error },
      },
    ],
  },
};

const eventOf = (json: Json): string =>
  `${typeof json.type === 'string' ? `event: ${json.type}\n` : ''}data: ${JSON.stringify({ id: 'x', ...json })}\n\n`;

const endings = {
  error: (event: Json | undefined) => eventOf({ ...event, error: ERROR }),
  garbage: () => 'data: {"\n\n',
  silence: () => '',
  usage: () => eventOf({ choices: [], usage: CHAT_USAGE }),
};

beforeAll(async () => {
  server = createServer(async (request, answer) => {
    const { stream: isStream } = JSON.parse((await request.toArray()).join('')) as { stream?: boolean };
    const { whole, events, errorEvent } = formats[request.url ?? ''] as Format;
    answer.setHeader('content-type', isStream === true ? 'text/event-stream' : 'application/json');
    if (isStream !== true) answer.end(JSON.stringify({ id: 'x', ...whole() }));
    else {
      answer.write(events().map(eventOf).join(''));
      // In a read of its own where it makes a difference.
      if (behind === 'usage') for (let round = 0; round < 50; round += 1) await nextRound();
      if (behind !== null) answer.write(endings[behind](errorEvent));
      if (behind !== 'silence') answer.end();
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  harness = await startHarness();
  const entry = { pricing: { prompt: '1', completion: '2' } };
  const models = Object.fromEntries(
    upstreams.flatMap((provider) => {
      const route = { provider, upstream_model: 'm' };
      const helped = [route, { provider: 'sim', upstream_model: 'openai/test' }];
      return [
        [`acme/${provider}`, { routes: [route], entry }],
        [`acme/${provider}-helped`, { routes: helped, entry }],
      ];
    }),
  );
  const { providers, ...others } = configDocument(harness.simulator.url, { models });
  const speaking = {
    chat: { protocol: 'openai', base_url, api_key: 'key' },
    messages: { protocol: 'anthropic', base_url, api_key: 'key' },
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

const upstreams = ['chat', 'messages', 'responses'];
const dialects: Readonly<Record<string, readonly [string, Json]>> = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi.' }] }],
  messages: ['/v1/messages', { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 900 }],
  responses: ['/v1/responses', { input: 'Hi.' }],
};
const cells = Object.keys(dialects).flatMap((dialect) =>
  upstreams.flatMap((upstream) => [false, true].map((stream) => ({ dialect, upstream, stream }))),
);

type Told = Readonly<{ status: number; text: string; cost: unknown }>;

async function ask(dialect: string, more: Json, balanceUsd = 5): Promise<Told> {
  const { key } = await harness.account(balanceUsd);
  const [path, body] = dialects[dialect] ?? ['', {}];
  const answer = await harness.request('POST', path, { key, body: { ...more, ...body } });
  const recordPath = `/v1/generation?id=${answer.headers.get('x-generation-id')}`;
  const costOf = async (): Promise<unknown> => {
    const { status, body: found } = await harness.request('GET', recordPath, { key });
    return status === 200 ? ((found.data as Json).usage as Json | undefined)?.cost : undefined;
  };
  await expect.poll(costOf).toBeTypeOf('number');
  return { status: answer.status, text: answer.text, cost: await costOf() };
}

test.each(cells)('BILL-01 BILL-03 STRM-08 $dialect of $upstream, stream $stream: charged', async (cell) => {
  const { dialect, upstream, stream } = cell;
  for (const beside of [ERROR, ERROR.message, {}, { code: 0, message: '' }]) {
    error = beside;
    const { status, text, cost } = await ask(dialect, { model: `acme/${upstream}`, stream });
    expect([status, text.includes('Half'), text.includes('sk-secret'), cost]).toEqual([200, true, false, COST_USD]);
    expect(text).not.toMatch(/"error":\{|event: error/);
  }
});

test.each(cells.filter(({ upstream, stream }) => stream && upstream !== 'responses'))(
  'BILL-01 STRM-08 $dialect of $upstream: what comes behind the end of a stream takes nothing back',
  async (cell) => {
    const { dialect, upstream, stream } = cell;
    error = {};
    for (behind of ['error', 'garbage'] as const) {
      for (isAtOnce of [false, true]) {
        const { text, cost } = await ask(dialect, { model: `acme/${upstream}`, stream });
        expect([text.includes('Half'), text.includes('sk-secret'), cost]).toEqual([true, false, COST_USD]);
        expect(text).not.toMatch(/"error":\{|event: error/);
      }
    }
    behind = null;
    isAtOnce = false;
  },
);

test.each(cells.filter(({ upstream, stream }) => stream && upstream !== 'responses'))(
  'BILL-04 STRM-08 $dialect of $upstream: an error behind an end without a word is that of the stream',
  async ({ dialect, upstream, stream }) => {
    error = {};
    words = '';
    behind = 'error';
    const { text, cost } = await ask(dialect, { model: `acme/${upstream}`, stream });
    words = 'Half';
    behind = null;
    expect([text.includes('sk-secret'), cost]).toEqual([false, 0]);
    expect(text).toMatch(/"error":\{|event: error/);
  },
);

test.each([
  ['chat', 'silence'],
  ['messages', 'silence'],
  ['chat', 'usage'],
] as const)(
  'BILL-03 STRM-10 %s: for an answer that has come nothing more has to be held, behind it %s',
  async (upstream, then) => {
    error = {};
    // By our estimate it is dearer than the balance; by the usage that has come with it it is not.
    words = 'Half'.repeat(10_000);
    behind = then;
    const { text, cost } = await ask('chat', { model: `acme/${upstream}`, stream: true }, 0.01);
    words = 'Half';
    behind = null;
    expect(text).not.toContain('insufficient_credits');
    expect([text.includes('"finish_reason":"stop"'), cost]).toEqual([true, COST_USD]);
  },
);

test('BILL-04 STRM-08 an error between two choices is free, although the first has ended and usage has come', async () => {
  behind = 'error';
  error = {};
  const { text, cost } = await ask('chat', { model: 'acme/chat', stream: true, n: 2 });
  behind = null;
  expect(text).toMatch(/"error":\{/);
  expect([text.includes('sk-secret'), cost]).toEqual([false, 0]);
});

test.each(cells)('BILL-04 STRM-08 $dialect of $upstream, stream $stream: failed, and free', async (cell) => {
  const { dialect, upstream, stream } = cell;
  error = ERROR;
  for (const lack of ['words', 'end']) {
    words = lack === 'words' ? '' : 'Half';
    hasEnd = lack !== 'end';
    const alone = await ask(dialect, { model: `acme/${upstream}`, stream });
    const helped = await ask(dialect, { model: `acme/${upstream}-helped`, stream });
    expect([alone.cost, alone.text.includes('sk-secret')]).toEqual([0, false]);
    expect(alone.text).toMatch(/"error":\{|event: error/);
    // What a stream has delivered cannot be taken back.
    if (!stream) expect([alone.status, helped.status, helped.text.includes('Half')]).toEqual([400, 200, false]);
  }
  words = 'Half';
  hasEnd = true;
});
