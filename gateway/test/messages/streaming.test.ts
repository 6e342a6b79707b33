// Streams of the Messages dialect: what the client sees, in which order, for every upstream; and that only a client
// that has paid sees the end.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { COST_USD, KINDS, type Kind, startMessagesHarness, stream, textOf, typesOf } from './messages-harness.ts';

const EXACT = 'tokens-100-20';
const commands: Readonly<Record<string, string>> = {
  plain: EXACT,
  cached: `${EXACT}+cached-40+cache-write-10`,
  crlf: `${EXACT}+crlf+unicode`,
  bytes: `${EXACT}+chunks-3+byte-by-byte+unicode`,
  comments: `${EXACT}+comments+field-noise`,
  lines: `${EXACT}+multi-line`,
  gzip: `${EXACT}+gzip`,
  'every-chunk': `${EXACT}+usage-every-chunk`,
  twice: `${EXACT}+usage-twice`,
  'after-done': `${EXACT}+after-done`,
  'cut-after-usage': `${EXACT}+eof-after-usage`,
  'reset-after-usage': `${EXACT}+reset-after-usage`,
  length: `${EXACT}+finish-length`,
  filtered: `${EXACT}+finish-filtered`,
  'error-frame': 'error-frame-2',
  'bad-frame': 'bad-frame-2',
  'finish-error': 'finish-error',
  'cut-before-usage': 'eof-before-usage',
  'reset-mid': 'reset-after-3',
  giant: 'giant-line-2048',
  'usage-none': `${EXACT}+usage-none`,
  'usage-zero': `${EXACT}+usage-zero`,
  'usage-negative': `${EXACT}+usage-negative`,
  'usage-string': `${EXACT}+usage-string`,
  'status-500': 'status-500',
  'status-429': 'status-429',
  calls: 'calls-3',
  thinking: `${EXACT}+reasoning-8`,
};

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startMessagesHarness(commands);
  key = (await harness.account()).key;
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const ask = (kind: Kind, name: string, body: Json = {}) => stream(harness, key, { model: `${kind}/${name}`, ...body });

async function spentBy(run: () => Promise<unknown>): Promise<number> {
  const before = await harness.spent(key);
  await run();
  return Math.round(((await harness.spent(key)) - before) * 1e9) / 1e9;
}

describe.each(KINDS)('an upstream of the %s format', (kind) => {
  test('MSGS-07 MSGS-08 MSGS-09 the whole sequence, with our id and model, usage and cost at the end', async () => {
    const { status, headers, events } = await ask(kind, 'plain');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    const types = typesOf(events);
    expect(types.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
    expect(types.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop']);
    expect(events[0]?.message).toMatchObject({
      id: expect.stringMatching(/^gen-/),
      type: 'message',
      role: 'assistant',
      model: `${kind}/plain`,
      content: [],
      stop_reason: null,
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        tollgate_cost: COST_USD,
      },
    });
    expect(textOf(events).length).toBeGreaterThan(0);
  });

  test('GEN-01 the generation is readable by the id of the answer, the moment its end is seen', async () => {
    const { events } = await ask(kind, 'plain');
    const id = (events[0]?.message as Json | undefined)?.id;
    const { status, body } = await harness.request('GET', `/v1/generation?id=${id}`, { key });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ finish_reason: 'stop', streamed: true, usage: { cost: COST_USD } });
  });

  test('CHAT-41 BILL-09 what was read from and written to the cache is told apart, and priced so', async () => {
    const { events } = await ask(kind, 'cached');
    expect(events.at(-2)?.usage).toMatchObject({
      input_tokens: kind === 'same' ? 50 : expect.any(Number),
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: kind === 'same' ? 10 : expect.any(Number),
      output_tokens: 20,
    });
  });

  test.each(['crlf', 'bytes', 'comments', 'lines', 'gzip'])('STRM-01 %s makes no difference', async (name) => {
    const { events } = await ask(kind, name);
    expect(typesOf(events).at(-1)).toBe('message_stop');
    expect(events.at(-2)?.usage).toMatchObject({ tollgate_cost: COST_USD });
    expect(textOf(events).length).toBeGreaterThan(0);
  });

  test.each(['every-chunk', 'twice', 'after-done', 'cut-after-usage', 'reset-after-usage'])(
    'BILL-06 %s is charged once, with one end',
    async (name) => {
      const spent = await spentBy(async () => {
        const { events } = await ask(kind, name);
        expect(typesOf(events).filter((type) => type === 'message_delta')).toHaveLength(1);
        expect(typesOf(events).at(-1)).toBe('message_stop');
      });
      expect(spent).toBe(COST_USD);
    },
  );

  test.each([
    ['length', 'max_tokens'],
    ['filtered', 'refusal'],
  ])('MSGS-06 finish %s is %s', async (name, reason) => {
    expect((await ask(kind, name)).events.at(-2)).toMatchObject({ delta: { stop_reason: reason } });
  });

  test.each(['error-frame', 'bad-frame', 'cut-before-usage', 'reset-mid', 'giant'])(
    'MSGS-10 STRM-06 STRM-07 %s ends with an error event, without charge and without the upstream’s words',
    async (name) => {
      const spent = await spentBy(async () => {
        const { status, events, text, body } = await ask(kind, name, { max_tokens: 1_000_000 });
        // A stream that broke before its first word is an ordinary error.
        const error = (status === 200 ? events.at(-1)?.error : body.error) as Json;
        expect(error).toEqual({ type: 'api_error', message: expect.any(String), code: expect.any(String) });
        expect(typesOf(events)).not.toContain('message_stop');
        expect(text).not.toContain('Simulated');
      });
      expect(spent).toBe(0);
    },
  );

  test('STRM-08 an upstream that finishes with an error is no ordinary end', async () => {
    const { events } = await ask(kind, 'finish-error');
    expect(typesOf(events).at(-1)).toBe('error');
  });

  test.each(['usage-none', 'usage-zero', 'usage-negative', 'usage-string'])(
    'BILL-04 %s costs nothing, and the message ends all the same',
    async (name) => {
      const spent = await spentBy(async () => {
        const { events } = await ask(kind, name);
        expect(['message_stop', 'error']).toContain(typesOf(events).at(-1));
      });
      expect(spent).toBe(0);
    },
  );

  test.each([
    ['status-500', 502, 'api_error'],
    ['status-429', 429, 'rate_limit_error'],
  ])('MSGS-10 STRM-09 %s before the stream is an ordinary answer', async (name, status, type) => {
    const answer = await ask(kind, name);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body).toMatchObject({ type: 'error', error: { type, message: expect.any(String) } });
  });

  test('TOOL-08 several calls at once come as blocks of their own', async () => {
    const tools = [
      {
        name: 'get_weather',
        input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ];
    const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
    const { events } = await ask(kind, 'calls', { tools, messages, tool_choice: { type: 'any' } });
    const starts = events.filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(starts.map(({ content_block: block }) => (block as Json).id)).size).toBe(3);
    for (const { index } of starts) {
      const deltas = events.filter((event) => event.type === 'content_block_delta' && event.index === index);
      const json = deltas.map(({ delta }) => (delta as Json).partial_json).join('');
      expect(JSON.parse(json)).toEqual({ city: 'Paris' });
    }
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });
});
