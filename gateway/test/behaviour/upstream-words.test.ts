// The text of an upstream's errors may quote the prompt. None of it reaches a log or the database, for every kind of
// failure, protocol and operation.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogFields } from '../../src/platform/logger.ts';
import { entryOf, KINDS, type Kind, type OtherServers, startOtherServers, upstreamModel } from '../faults/upstreams.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';

const CANARY = 'canary-prompt-7f3a';
const lines: string[] = [];

/** An upstream that repeats what it was sent, in each of its failures. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(request.url ?? '', response, Buffer.concat(chunks).toString('latin1')));
});

/** The model's name, which is in the body or in the path, says how the upstream fails. */
const HEARD = ['400', '404', '409', '422', '500', 'plain', 'within', 'stream'] as const;
/** After these failures a key or a route is out of use, so they come last. */
const WAYS = [...HEARD, '429', '403', '401'] as const;
const isHeard = (way: string): boolean => (HEARD as readonly string[]).includes(way);
let requestCount = 0;
const WAY = /way-(\w+)/;

function answer(path: string, response: ServerResponse, text: string): void {
  requestCount += 1;
  const way = WAY.exec(decodeURIComponent(path))?.[1] ?? WAY.exec(text)?.[1] ?? 'plain';
  const quoted = `cannot process: ${text}`;
  const error = {
    type: 'error',
    error: { type: 'invalid_request_error', code: quoted, message: quoted, status: quoted },
  };
  if (way === 'plain') return void response.writeHead(500).end(quoted);
  if (way === 'amid') {
    const frames = [
      ...(beginnings[path.slice('/v1/'.length)] ?? []),
      error,
      { type: 'response.failed', response: error },
    ];
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const written = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
    return void response.end(written.join(''));
  }
  if (way === 'stream') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    return void response.end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  }
  const status = way === 'within' ? 200 : Number(way);
  const body = { ...error, message: quoted, __type: quoted };
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
/** What each format begins a stream with. */
const beginnings: Readonly<Record<string, readonly (Json & { type: string })[]>> = {
  'chat/completions': [
    { ...chunk, type: 'chunk', choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] },
  ],
  responses: [
    { type: 'response.created', response: { id: 'r1', object: 'response', status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', item_id: 'i1', output_index: 0, content_index: 0, delta: 'Well' },
  ],
  messages: [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well' } },
  ],
};

type Surface = Readonly<{ path: string; more: Json; body: Json }>;

const surfaces: Readonly<Record<string, Surface>> = {
  vectors: { path: '/v1/embeddings', more: { output_modalities: ['embeddings'] }, body: { input: CANARY } },
  picture: {
    ...{ path: '/v1/images/generations', body: { prompt: CANARY } },
    more: { output_modalities: ['image'], pricing: { image: '0.04' } },
  },
  voice: {
    ...{ path: '/v1/audio/speech', body: { input: CANARY, voice: 'alloy' } },
    more: { output_modalities: ['speech'], pricing: { character: '0.00001' } },
  },
  ranking: {
    ...{ path: '/v1/rerank', body: { query: CANARY, documents: ['a', 'b'] } },
    more: { output_modalities: ['rerank'], pricing: { request: '0.002' } },
  },
};

let harness: Harness;
let others: OtherServers;
let key: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const record = (fields: LogFields, message: string): void => {
    const error = fields.error instanceof Error ? `${fields.error.stack} ${String(fields.error.cause)}` : '';
    lines.push(`${message} ${JSON.stringify({ ...fields, error })}`);
  };
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  others = await startOtherServers();
  const entry = { context_length: 8_000, pricing: { prompt: '1', completion: '1' } };
  const talking = KINDS.flatMap((kind) =>
    WAYS.map((way) => [
      `rude/${kind}-${way}`,
      { ...entry, routes: [{ provider: kind, upstream_model: upstreamModel(kind, `way-${way}`) }] },
    ]),
  );
  const amid = KINDS.map((kind) => [
    `amid/${kind}`,
    { ...entry, routes: [{ provider: `amid-${kind}`, upstream_model: 'way-amid' }] },
  ]);
  const making = Object.entries(surfaces).flatMap(([kind, { more }]) =>
    WAYS.map((way) => [
      `rude/${kind}-${way}`,
      { ...entry, ...more, routes: [{ provider: kind, upstream_model: `way-${way}` }] },
    ]),
  );
  harness = await startHarness({
    document: {
      providers: Object.fromEntries([
        ...KINDS.map((kind) => [kind, entryOf(kind, base, others.tokenUrl)]),
        ...KINDS.map((kind) => [`amid-${kind}`, entryOf(kind, base, others.tokenUrl)]),
        ...Object.keys(surfaces).map((kind) => [kind, entryOf('chat', base, '')]),
      ]),
      models: Object.fromEntries([...talking, ...making, ...amid]),
    },
    start: { logger: { debug: record, info: record, warn: record, error: record } },
  });
  ({ key } = await harness.account(50));
});

afterAll(async () => {
  await harness.close();
  others.close();
  server.closeAllConnections();
  server.close();
});

/** Calls, and checks that nobody learns of the prompt who should not. */
async function expectSilence(way: string, run: () => Promise<Answer>): Promise<void> {
  const [before, countBefore] = [lines.length, requestCount];
  const answered = await run();
  if (isHeard(way)) expect(requestCount).toBeGreaterThan(countBefore);
  expect(answered.text).not.toContain(CANARY);
  const logged = lines.slice(before).join('\n');
  expect(logged).toContain('rude');
  expect(logged).not.toContain(CANARY);
}

test.each(KINDS.flatMap((kind) => WAYS.map((way): [Kind, string] => [kind, way])))(
  'an upstream of %s that fails with %s and quotes the prompt is logged without it',
  async (kind, way) => {
    for (const stream of [false, true]) {
      const body = { model: `rude/${kind}-${way}`, stream, messages: [{ role: 'user', content: CANARY }] };
      await expectSilence(way, () => harness.chat(key, body));
    }
  },
);

test.each(Object.keys(surfaces).flatMap((kind) => WAYS.map((way): [string, string] => [kind, way])))(
  'neither is one that was asked for %s and fails with %s',
  async (kind, way) => {
    const { path, body } = surfaces[kind] as Surface;
    await expectSilence(way, () =>
      harness.request('POST', path, { key, body: { model: `rude/${kind}-${way}`, ...body } }),
    );
  },
);

test.each<[string, Kind, Json]>([
  ['/v1/chat/completions', 'chat', { messages: [{ role: 'user', content: CANARY }] }],
  ['/v1/responses', 'responses', { input: CANARY }],
  ['/v1/messages', 'anthropic', { messages: [{ role: 'user', content: CANARY }], max_tokens: 50 }],
])('nor one that breaks a stream of %s off with words', async (path, kind, body) => {
  const wish = { model: `amid/${kind}`, stream: true, ...body };
  const before = lines.length;
  const { text } = await harness.request('POST', path, { key, body: wish });
  expect(text).toContain('Well');
  const logged = lines.slice(before).join('\n');
  expect([text.includes(CANARY), logged.includes(CANARY)], logged).toEqual([false, false]);
});

test('and nothing of it is stored', async () => {
  const client = new Client(harness.databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { name } of rows) {
      const found = await client.query(`select 1 from "${name}" t where t::text like $1 limit 1`, [`%${CANARY}%`]);
      expect([name, found.rows]).toEqual([name, []]);
    }
  } finally {
    await client.end();
  }
});
