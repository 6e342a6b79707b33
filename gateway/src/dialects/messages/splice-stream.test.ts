// Guarantees: however the bytes are split, the client sees the same frames; only the id, the model and the usage differ
// from the upstream's; nothing that ends the message is sent before `finale`.

import { readFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../../canonical/json.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { MessagesStreamSplicer } from './splice-stream.ts';

type Event = { type: string; [key: string]: unknown };

const recorded = readFileSync(new URL('./__fixtures__/thinking-and-tools.chunks.txt', import.meta.url), 'utf8');
const BILLED: Usage = {
  ...zeroUsage,
  promptTokens: 521,
  completionTokens: 88,
  cachedTokens: 400,
  cacheWriteTokens: 100,
};
const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] });

/** Reads a record without knowing the protocol: this test only looks at what the reader is given. */
function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const { input_tokens: input, output_tokens: output } = value;
  if (typeof input !== 'number' || typeof output !== 'number' || input < 0 || output < 0) return null;
  return { ...zeroUsage, promptTokens: input, completionTokens: output };
}

function createSplicer(): MessagesStreamSplicer {
  return new MessagesStreamSplicer({ id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request }, readUsage);
}

/** Everything up to the finale, and the splicer. */
function splice(pieces: readonly Buffer[]): { output: string; splicer: MessagesStreamSplicer } {
  const splicer = createSplicer();
  let output = '';
  for (const piece of pieces) output += splicer.push(piece);
  return { output: output + splicer.end(), splicer };
}

function spliceText(text: string): { output: string; splicer: MessagesStreamSplicer; events: Event[] } {
  const result = splice([Buffer.from(text, 'utf8')]);
  return { ...result, events: eventsOf(result.output) };
}

/** As a client reads the stream; the name on the event line must be the type inside. */
function eventsOf(latin1: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const json: Event = JSON.parse(data);
      expect(event).toBe(json.type);
      events.push(json);
    },
  });
  parser.feed(Buffer.from(latin1, 'latin1').toString('utf8'));
  return events;
}

const frame = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const start = frame('message_start', {
  message: { id: 'msg_up', model: 'up', usage: { input_tokens: 7, output_tokens: 1 } },
});
const textDelta = (text: string, index = 0): string =>
  frame('content_block_delta', { index, delta: { type: 'text_delta', text } });
const blockStart = frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
const blockStop = frame('content_block_stop', { index: 0 });
const ending = (members: object): string =>
  frame('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, ...members });
const stop = frame('message_stop', {});
const wholeStream = start + blockStart + textDelta('Hi') + blockStop + ending({ usage: { output_tokens: 3 } }) + stop;

describe('a recorded stream with thinking and tools', () => {
  const { output, splicer, events } = spliceText(recorded);

  test('MSGS-09 id, model and usage at the start are ours, every content block is the upstream’s to the byte', () => {
    expect(events[0]).toEqual({
      type: 'message_start',
      message: expect.objectContaining({
        id: 'gen-1',
        type: 'message',
        role: 'assistant',
        model: 'acme/model',
        content: [],
        stop_reason: null,
        usage: expect.objectContaining({ input_tokens: 21, cache_read_input_tokens: 400, service_tier: 'standard' }),
      }),
    });
    const blocks = /event: content_block_[\s\S]*?\n\n/g;
    const sent = recorded.replace('event: ping\ndata: {"type": "ping"}\n\n', '').match(blocks);
    expect(Buffer.from(output, 'latin1').toString('utf8').match(blocks)).toEqual(sent);
    expect(output).not.toContain('up-model');
    expect(output).not.toContain('msg_01Up');
  });

  test('MSGS-09 what ends the message is held back until it is paid', () => {
    expect(events.at(-1)?.type).toBe('content_block_stop');
    expect(splicer).toMatchObject({ isDone: true, hasFinished: true, hasUsage: true, finishReason: 'tool_calls' });
    expect(splicer.usage).toMatchObject({ promptTokens: 21, completionTokens: 88 });
  });

  test('MSGS-08 CHAT-41 the finale carries usage, cost and whatever else the upstream said', () => {
    expect(eventsOf(splicer.finale(BILLED, 0.125))).toEqual([
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
        usage: {
          input_tokens: 21,
          output_tokens: 88,
          cache_read_input_tokens: 400,
          cache_creation_input_tokens: 100,
          output_tokens_details: { thinking_tokens: 30 },
          tollgate_cost: 0.125,
        },
        context_management: { applied_edits: [] },
      },
      { type: 'message_stop' },
    ]);
  });

  test('MSGS-08 what the upstream says of money is neither in the start nor in the end', () => {
    const usage = { input_tokens: 7, output_tokens: 1, cost: 9, is_byok: true };
    const paid = [
      frame('message_start', { message: { usage } }),
      textDelta('Hi'),
      frame('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { ...usage, cost_details: {} } }),
      frame('message_stop', {}),
    ];
    const { output, splicer: paying } = spliceText(paid.join(''));
    const text = output + paying.finale(BILLED, 0.125);
    expect(text).toContain('"tollgate_cost":0.125');
    expect(text.replaceAll('tollgate_cost', '')).not.toMatch(/cost|byok/);
  });

  test('STRM-01 every split of the bytes gives the same, with LF, CRLF and CR', () => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(recorded.replaceAll('\n', newline), 'utf8');
      for (let offset = 1; offset < bytes.length; offset += 1) {
        const split = splice([bytes.subarray(0, offset), bytes.subarray(offset)]);
        if (split.output !== output || !split.splicer.isDone) expect.fail(`differs when cut at ${offset}`);
      }
      expect(splice([...bytes].map((byte) => Buffer.from([byte]))).output).toBe(output);
    }
  });

  test('what was streamed is counted by its deltas', () => {
    expect(splicer.frameCount).toBe(12);
    expect(splicer.contentBytes).toBeGreaterThan(150);
    expect(splicer.contentBytes).toBeLessThan(450);
  });
});

test('STRM-02 any text arrives unchanged, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(4_000), { maxLength: 10 }),
      (texts, cuts) => {
        const bytes = Buffer.from(
          start + blockStart + texts.map((text) => textDelta(text)).join('') + blockStop + stop,
        );
        const points = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((left, right) => left - right);
        const pieces = [...points, bytes.length].map((point, index) => bytes.subarray(points[index - 1] ?? 0, point));
        const deltas = eventsOf(splice(pieces).output).filter(({ type }) => type === 'content_block_delta');
        const received = deltas.map(({ delta }) => (delta as { text: string }).text).join('');
        expect(received).toBe(Buffer.from(texts.join(''), 'utf8').toString('utf8'));
      },
    ),
    { numRuns: 300 },
  );
});

describe('before there is content', () => {
  test('the start waits for what follows, so that a failure can still go to another provider', () => {
    const splicer = createSplicer();
    expect(splicer.push(Buffer.from(start + PING))).toBe('');
    expect(eventsOf(splicer.push(Buffer.from(blockStart))).map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
    ]);
  });

  test('a message without content still begins and ends', () => {
    const { output, splicer } = spliceText(start + ending({ usage: { output_tokens: 0 } }) + stop);
    expect(output).toBe('');
    expect(eventsOf(splicer.finale(zeroUsage, 0)).map(({ type }) => type)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
  });
});

const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

describe('legal forms of the same stream', () => {
  const usual = spliceText(wholeStream).events;
  test.each([
    ['without event lines', wholeStream.replace(/^event: .*\n/gm, '')],
    ['data before the event', wholeStream.replace(/^(event: .*)\n(data: .*)$/gm, '$2\n$1')],
    ['without blanks', wholeStream.replaceAll('event: ', 'event:').replaceAll('data: ', 'data:')],
    ['a byte order mark', `\ufeff${wholeStream}`],
    ['comments and other fields', wholeStream.replaceAll('event: ', ': hello\nid: 5\nretry: 9\nevent: ')],
    ['data over several lines', wholeStream.replaceAll(',"', ',\ndata: "')],
    ['pings and comments between', wholeStream.replaceAll('event: content', `: still here\n\n${PING}event: content`)],
    ['no blank line at the end', wholeStream.trimEnd()],
    ['an end mark of another dialect', `${wholeStream.replace(stop, '')}data: [DONE]\n\n`],
    ['frames after the end', `${wholeStream}${textDelta('late')}`],
  ])('%s', (_title, text) => {
    const { events, splicer } = spliceText(text);
    expect(events).toEqual(usual);
    expect(splicer).toMatchObject({ isDone: true, hasFinished: true, fault: null });
    expect(splicer.usage).toMatchObject({ promptTokens: 7, completionTokens: 3 });
  });

  test('an event that nobody knows yet passes', () => {
    const novel = frame('content_block_hint', { index: 0, hint: 'é' });
    const { events } = spliceText(start + blockStart + novel + textDelta('x'));
    expect(events[2]).toEqual({ type: 'content_block_hint', index: 0, hint: 'é' });
  });
});

describe('usage', () => {
  test('several records: the highest count is the last one, a null or a zero does not erase', () => {
    const early = frame('message_delta', {
      delta: { stop_reason: null },
      usage: { output_tokens: 1, input_tokens: 0 },
    });
    const { splicer, events } = spliceText(
      start + blockStart + early + textDelta('x') + ending({ usage: { output_tokens: 4, input_tokens: null } }) + stop,
    );
    expect(splicer.usage).toMatchObject({ promptTokens: 7, completionTokens: 4 });
    expect(events.some(({ type }) => type === 'message_delta')).toBe(false);
    expect(eventsOf(splicer.finale(zeroUsage, 0))).toHaveLength(2);
  });

  test('BILL-04 without a record at the end there is none, whatever the start said', () => {
    const { splicer } = spliceText(start + blockStart + textDelta('x') + ending({}) + stop);
    expect(splicer).toMatchObject({ hasFinished: true, hasUsage: false, usage: null });
  });

  test.each([
    [{ usage: 'many' }],
    [{ usage: [] }],
    [{ usage: { output_tokens: -4 } }],
    [{ usage: { output_tokens: '4' } }],
  ])('BILL-04 %j is seen and cannot be used', (members) => {
    const { splicer } = spliceText(start + blockStart + textDelta('x') + ending(members) + stop);
    expect(splicer).toMatchObject({ hasUsage: true, usage: null });
  });

  test('counts at the start that are none are shown as zero', () => {
    const usage = { input_tokens: -3, output_tokens: 'x', cache_read_input_tokens: 1.5 };
    const { events } = spliceText(frame('message_start', { message: { usage } }) + blockStart);
    expect(events[0]?.message).toMatchObject({
      usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    });
  });
});

describe('an upstream that fails', () => {
  test.each([
    ['overloaded_error', 529],
    ['rate_limit_error', 429],
    ['novel_error', null],
  ])('STRM-07 an error event (%s) is a fault, and its words stay with us', (type, status) => {
    const failure = frame('error', { error: { type, message: 'key sk-secret' } });
    const { output, splicer } = spliceText(start + blockStart + failure + textDelta('late'));
    expect(splicer.fault).toMatchObject({
      kind: 'upstream-error',
      status,
      detail: expect.stringContaining('sk-secret'),
    });
    expect(output).not.toContain('sk-secret');
    expect(output).not.toContain('late');
  });

  test('STRM-08 an error beside an event is a fault, except beside the end of what was said', () => {
    const error = { type: 'overloaded_error', message: 'sk-secret' };
    const delta = frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'x' }, error });
    for (const text of [delta, frame('message_delta', { delta: { stop_reason: null, error } })]) {
      const { output, splicer } = spliceText(start + blockStart + textDelta('Hi') + text);
      expect(splicer.fault).toMatchObject({ kind: 'upstream-error', status: 529 });
      expect(output).not.toContain('sk-secret');
    }
    const end = frame('message_delta', {
      delta: { stop_reason: 'end_turn', error },
      error,
      usage: { output_tokens: 2 },
    });
    expect(spliceText(start + blockStart + end + stop).splicer.fault).toMatchObject({ status: 529 });
    const { output, splicer } = spliceText(start + blockStart + textDelta('Hi') + end + delta + stop);
    expect(splicer).toMatchObject({ isDone: true, fault: null, finishReason: 'stop' });
    expect(output + splicer.finale(zeroUsage, 0)).not.toMatch(/sk-secret|"error"/);
  });

  test.each(['{"broken', '["list"]', 'null', '"text"', '{"type":"content_block_delta"} trailing'])(
    'a frame of %s is a fault',
    (data) => {
      const { splicer } = spliceText(`${start}${blockStart}event: content_block_delta\ndata: ${data}\n\n${stop}`);
      expect(splicer).toMatchObject({ isDone: false, fault: { kind: 'malformed' } });
    },
  );

  test.each(['{"type":"a\\nevent: error"}', '{"type":"é"}', '{"no":"type"}', '{"type":5}'])(
    'an event named by %s is dropped',
    (data) => {
      const { events, splicer } = spliceText(`${start}${blockStart}data: ${data}\n\n${textDelta('x')}`);
      expect(events.map(({ type }) => type)).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
      expect(splicer.fault).toBeNull();
    },
  );

  test('a delta that is something else inside is taken for what it is', () => {
    const disguised = stop.replace('event: message_stop', 'event: content_block_delta');
    const { output, splicer } = spliceText(start + blockStart + textDelta('x') + disguised);
    // The error ends the stream, although no event has said how the answer ended.
    expect(splicer.fault?.kind).toBe('malformed');
    expect(output).not.toContain('message_stop');
  });

  test('a frame over the limit is a fault however it arrives, and one within it passes', () => {
    const big = Buffer.from(start + blockStart + textDelta('x'.repeat(1024 * 1024)));
    for (const size of [big.length, 65_536]) {
      const pieces = Array.from({ length: Math.ceil(big.length / size) }, (_, index) =>
        big.subarray(index * size, (index + 1) * size),
      );
      expect(splice(pieces).splicer.fault?.kind).toBe('oversize');
    }
    expect(spliceText(start + blockStart + textDelta('x'.repeat(1_000_000))).splicer.fault).toBeNull();
  });

  test('endings whose members add up are a fault, and endings that repeat themselves are not', () => {
    const ending = (name: string) => `event: message_delta\ndata: {"type":"message_delta","${name}":1}\n\n`;
    const repeated = Array.from({ length: 1_000 }, () => ending('a')).join('');
    expect(spliceText(start + blockStart + repeated).splicer.fault).toBeNull();
    const other = Array.from({ length: 1_000 }, (_, index) => ending(`a${index}`)).join('');
    expect(spliceText(start + blockStart + other).splicer.fault?.kind).toBe('malformed');
  });

  test('members of any type in any frame never throw', () => {
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
    const types = fc.constantFrom(
      'message_start',
      'message_delta',
      'content_block_start',
      'error',
      'message_stop',
      'x',
    );
    const hostileFrame = fc
      .record({ type: fc.oneof(types, anything), message: anything, delta: anything, usage: anything, error: anything })
      .map((json) => `data: ${JSON.stringify(json)}\n\n`);
    fc.assert(
      fc.property(fc.array(hostileFrame, { maxLength: 6 }), (frames) => {
        const { output, splicer } = spliceText(frames.join(''));
        eventsOf(output + splicer.finale(zeroUsage, 0));
      }),
      { numRuns: 1_000 },
    );
  });
});

test('MSGS-10 a failure amid the stream is an error event in plain ASCII', () => {
  const output = createSplicer().failure(new ApiError('insufficient_credits', 'Top up — now.'));
  expect(output).toMatch(/^[\n\x20-\x7e]*$/);
  expect(eventsOf(output)).toEqual([
    { type: 'error', error: { type: 'billing_error', message: 'Top up — now.', code: 'insufficient_credits' } },
  ]);
});
