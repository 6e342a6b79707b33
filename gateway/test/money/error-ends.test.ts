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

/** As a caller can bring about, so that the route stays open however often it comes. */
const ENDED = { finish_reason: 'error', native_finish_reason: 'timeout' };

/** It blames the request, so that the route stays open however often it comes. */
const FAILED = { type: 'invalid_request_error', code: 400, message: 'key sk-secret of node-17 broke' };

/** Both in its last frame. */
const ERROR = { code: 503, message: 'key sk-secret of node-17 broke' };
const STATED = {
  'on the choice': { choice: { error: ERROR } },
  beside: { frame: { error: ERROR } },
  nowhere: {},
} as const;

let place: Place = 'nowhere';
let stated: Readonly<{ choice?: Json; frame?: Json }> = {};
let words = 'Half';
let server: Server;
let harness: Harness;

const eventOf = (json: Json): string => `data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', ...json })}\n\n`;

function streamText(): string {
  const choice = (delta: Json, finish: Json) => ({ choices: [{ index: 0, delta, ...finish }] });
  const last = {
    ...choice({}, { ...ENDED, ...stated.choice }),
    ...stated.frame,
    ...(place === 'in its last frame' ? { usage: USAGE } : {}),
  };
  const after = place === 'after it' ? eventOf({ choices: [], usage: USAGE }) : '';
  return `${eventOf(choice({ role: 'assistant', content: words }, {}))}${eventOf(last)}${after}data: [DONE]\n\n`;
}

function wholeText(): string {
  const message = { role: 'assistant', content: words };
  const usage = place === 'nowhere' ? {} : { usage: USAGE };
  return JSON.stringify({
    id: 'x',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, ...ENDED, ...stated.choice }],
    ...{ ...usage, ...stated.frame },
  });
}

/** Another format that has a word for such an end. */
function geminiText(isStream: boolean): string {
  const usageMetadata = { promptTokenCount: 1_000, candidatesTokenCount: 500, totalTokenCount: 1_500 };
  const saying = { content: { role: 'model', parts: [{ text: words }] } };
  const ended = { finishReason: 'MALFORMED_FUNCTION_CALL' };
  if (!isStream) return JSON.stringify({ candidates: [{ ...saying, ...ended }], usageMetadata });
  return eventOf({ candidates: [saying] }) + eventOf({ candidates: [ended], usageMetadata });
}

/** The third one's. */
function responsesText(isStream: boolean): string {
  const usage = place === 'nowhere' ? null : { input_tokens: 1_000, output_tokens: 500 };
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: words }] };
  const failed = { id: 'resp_1', status: 'failed', output: words === '' ? [] : [item], usage, error: FAILED };
  if (!isStream) return JSON.stringify(failed);
  const delta = { type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: words };
  return [...(words === '' ? [] : [delta]), { type: 'response.failed', sequence_number: 2, response: failed }]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url?.includes('enerateContent')) {
      const isStreamed = request.url.includes('stream');
      response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json');
      response.end(geminiText(isStreamed));
      return;
    }
    const { stream: isStream } = JSON.parse((await request.toArray()).join('')) as { stream?: boolean };
    response.setHeader('content-type', isStream === true ? 'text/event-stream' : 'application/json');
    if (request.url?.endsWith('/responses')) response.end(responsesText(isStream === true));
    else response.end(isStream === true ? streamText() : wholeText());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  harness = await startHarness();
  const route = { provider: 'ending', upstream_model: 'm' };
  const entry = { pricing: { prompt: '1', completion: '2' } };
  const help = { provider: 'sim', upstream_model: 'openai/test' };
  const native = { ...route, provider: 'native' };
  const models = {
    'acme/ending': { routes: [route], entry },
    'acme/helped': { routes: [route, help], entry },
    'acme/native': { routes: [native], entry },
    'acme/native-helped': { routes: [native, help], entry },
    'acme/responses': { routes: [{ ...route, provider: 'responses' }], entry },
    'acme/responses-helped': { routes: [{ ...route, provider: 'responses' }, help], entry },
  };
  const { providers, ...others } = configDocument(harness.simulator.url, { models });
  const ending = { protocol: 'openai', base_url, api_key: 'key' };
  const speaking = {
    ending,
    native: { protocol: 'gemini', base_url, api_key: 'key' },
    responses: { ...ending, responses: true },
  };
  await harness.operate('PUT', '/admin/v1/config', { ...others, providers: { ...(providers as Json), ...speaking } });
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
    (['in its last frame', 'after it', 'nowhere'] as const).flatMap((where) =>
      (['on the choice', 'beside', 'nowhere'] as const).map((error) => ({ dialect, stream, where, error })),
    ),
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
  'BILL-04 BILL-05 STRM-08 $dialect, stream $stream, usage $where, its error $error',
  async ({ dialect, stream, where, error }) => {
    place = where;
    stated = STATED[error];
    const { response, text, key } = await ask(dialect, { stream });
    stated = {};
    expect([response.status, text.includes('Half'), text.includes('sk-secret')]).toEqual([200, true, false]);
    if (dialect === 'chat') expect(text).toContain(`"error":{"code":${error === 'nowhere' ? 502 : 503},"message":`);
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

const silentCells = Object.keys(dialects).flatMap((dialect) => [false, true].map((stream) => ({ dialect, stream })));

test.each(silentCells)(
  'BILL-04 STRM-08 $dialect, stream $stream: what ends so before it has said anything is free, and tried elsewhere',
  async ({ dialect, stream }) => {
    place = 'in its last frame';
    words = '';
    const alone = await ask(dialect, { stream });
    const helped = await ask(dialect, { stream, model: 'acme/helped' });
    words = 'Half';
    expect([alone.response.status, helped.response.status]).toEqual([502, 200]);
    await expectCost(0, alone.key, alone.response);
    expect(helped.text).not.toMatch(/upstream_unavailable|api_error|upstream_error/);
  },
);

test.each(silentCells)(
  'BILL-04 BILL-05 STRM-08 $dialect of another format, stream $stream',
  async ({ dialect, stream }) => {
    const said = await ask(dialect, { stream, model: 'acme/native' });
    expect([said.response.status, said.text.includes('Half')]).toEqual([200, true]);
    if (stream) expect(said.text).toMatch(/upstream_unavailable|api_error|upstream_error/);
    else if (dialect === 'chat') expect(said.text).toContain('"error":{"code":502,');
    await expectCost(COST_USD, said.key, said.response);
    words = '';
    const alone = await ask(dialect, { stream, model: 'acme/native' });
    const helped = await ask(dialect, { stream, model: 'acme/native-helped' });
    words = 'Half';
    expect([alone.response.status, helped.response.status]).toEqual([502, 200]);
    await expectCost(0, alone.key, alone.response);
    expect(helped.text).not.toMatch(/upstream_unavailable|api_error|upstream_error/);
  },
);

test.each(silentCells)(
  'BILL-04 BILL-05 STRM-08 $dialect of a response that failed, stream $stream: by its usage, and free without words or usage',
  async ({ dialect, stream }) => {
    place = 'in its last frame';
    const said = await ask(dialect, { stream, model: 'acme/responses' });
    const { status } = said.response;
    expect([status, said.text.includes('Half'), said.text.includes('sk-secret')]).toEqual([200, true, false]);
    if (dialect === 'responses') expect(said.text).toContain('"status":"failed"');
    else if (stream) expect(said.text).toMatch(/"error":\{|event: error/);
    await expectCost(COST_USD, said.key, said.response);
    for (const lack of ['words', 'usage'] as const) {
      words = lack === 'words' ? '' : 'Half';
      place = lack === 'usage' ? 'nowhere' : 'in its last frame';
      const alone = await ask(dialect, { stream, model: 'acme/responses' });
      const helped = await ask(dialect, { stream, model: 'acme/responses-helped' });
      await expectCost(0, alone.key, alone.response);
      expect([alone.text.includes('sk-secret'), helped.response.status]).toEqual([false, 200]);
      if (!stream || lack === 'words') expect(helped.text).not.toContain('Half');
    }
    words = 'Half';
  },
);
