// Guarantees: the same parts however the bytes are split; the arguments of tool calls byte for byte; every peculiarity
// of upstreams that copy this protocol; and for a hostile upstream an error part, never an exception.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { createChatStreamDecoder } from './decode-stream.ts';

function decode(pieces: readonly Buffer[]): StreamPart[] {
  const decoder = createChatStreamDecoder();
  const parts = pieces.flatMap((piece) => [...decoder.push(piece)]);
  return [...parts, ...decoder.end()];
}

const fixture = (name: string): Buffer => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url));

type Choice = { delta?: unknown; finish_reason?: string | null; [key: string]: unknown };

const frame = (choice: Choice, others: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, ...choice }], ...others })}\n\n`;
const decodeText = (...frames: string[]): StreamPart[] => decode([Buffer.from(frames.join(''))]);
const calls = (...deltas: object[]): string[] => deltas.map((call) => frame({ delta: { tool_calls: [call] } }));
const FINISH = frame({ delta: {}, finish_reason: 'stop' });
const DONE = 'data: [DONE]\n\n';

/** What a tool call came to: id, name and arguments by index. */
function collectCalls(parts: readonly StreamPart[]): string[] {
  const collected: string[] = [];
  for (const part of parts) {
    if (part.type === 'tool-input-start') collected[part.index] = `${part.id} ${part.name} `;
    if (part.type === 'tool-input-delta') collected[part.index] += part.text;
  }
  return collected;
}

const faultOf = (parts: readonly StreamPart[]) => parts.find((part) => part.type === 'error')?.fault;

describe('recorded streams', () => {
  test('TOOL-08 text, then two calls whose arguments interleave', () => {
    expect(decode([fixture('stream-parallel-tools.sse')])).toEqual([
      { type: 'text-start' },
      { type: 'text-delta', text: 'Ich prüfe ' },
      { type: 'text-delta', text: 'das 🙂.' },
      { type: 'text-end' },
      { type: 'tool-input-start', index: 0, id: 'call_A', name: 'get_weather' },
      { type: 'tool-input-delta', index: 0, text: '{"city": "Z' },
      { type: 'tool-input-start', index: 1, id: 'call_B', name: 'get_time' },
      { type: 'tool-input-delta', index: 1, text: '{"zone":' },
      { type: 'tool-input-delta', index: 0, text: 'ürich\\u00e9"' },
      { type: 'tool-input-delta', index: 1, text: ' "CET"}' },
      { type: 'tool-input-delta', index: 0, text: ',  "days":2}' },
      { type: 'tool-input-end', index: 0 },
      { type: 'tool-input-end', index: 1 },
      { type: 'finish', reason: 'tool_calls', native: 'tool_calls', stopSequence: null },
      {
        type: 'usage',
        usage: expect.objectContaining({ promptTokens: 80, completionTokens: 40, cachedTokens: 16 }),
      },
      { type: 'done' },
    ]);
  });

  test('thinking beside the content, and a usage in every frame of which the last counts', () => {
    expect(decode([fixture('stream-reasoning-content.sse')])).toEqual([
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Two and ' },
      { type: 'reasoning-delta', text: 'two.' },
      { type: 'reasoning-end' },
      { type: 'text-start' },
      { type: 'text-delta', text: 'Four' },
      { type: 'text-delta', text: '.' },
      { type: 'text-end' },
      { type: 'finish', reason: 'stop', native: 'stop', stopSequence: null },
      { type: 'usage', usage: expect.objectContaining({ promptTokens: 12, completionTokens: 6 }) },
      { type: 'done' },
    ]);
  });

  test('signed and redacted thinking keep their opaque halves, and the text is not taken twice', () => {
    expect(decode([fixture('stream-signed-reasoning.sse')])).toEqual([
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Let me ' },
      { type: 'reasoning-delta', text: 'see.' },
      { type: 'reasoning-end', signature: 'c2lnLTE=' },
      { type: 'reasoning-start' },
      { type: 'reasoning-end', redactedData: 'cmVkYWN0ZWQ=' },
      { type: 'text-start' },
      { type: 'text-delta', text: 'Done' },
      { type: 'text-end' },
      { type: 'finish', reason: 'stop', native: 'end_turn', stopSequence: null },
      { type: 'usage', usage: expect.objectContaining({ promptTokens: 5, completionTokens: 9 }) },
      { type: 'done' },
    ]);
  });

  test.each(['stream-parallel-tools.sse', 'stream-reasoning-content.sse', 'stream-signed-reasoning.sse'])(
    '%s is the same for every split of its bytes, with LF, CRLF and CR',
    (name) => {
      const whole = decode([fixture(name)]);
      for (const newline of ['\n', '\r\n', '\r']) {
        const bytes = Buffer.from(fixture(name).toString('utf8').replaceAll('\n', newline));
        for (let offset = 0; offset <= bytes.length; offset += 1) {
          expect(decode([bytes.subarray(0, offset), bytes.subarray(offset)])).toEqual(whole);
        }
      }
    },
  );
});

describe('TOOL-08 tool calls of all habits', () => {
  test('id and name are sent again with every piece', () => {
    const piece = (text: string) => ({ index: 0, id: 'a', function: { name: 'f', arguments: text } });
    expect(collectCalls(decodeText(...calls(piece('{"x"'), piece(':1}')), FINISH))).toEqual(['a f {"x":1}']);
  });

  test('the id changes with every piece that has no name', () => {
    const deltas = [
      { index: 0, id: 'a', function: { name: 'f', arguments: '{' } },
      { index: 0, id: 'b', function: { name: null, arguments: '}' } },
    ];
    expect(collectCalls(decodeText(...calls(...deltas), FINISH))).toEqual(['a f {}']);
  });

  test('the name comes after the first arguments', () => {
    const deltas = [
      { index: 0, id: 'a', function: { arguments: '{"x"' } },
      { index: 0, function: { name: 'f', arguments: ':' } },
      { index: 0, function: { arguments: '1}' } },
    ];
    expect(collectCalls(decodeText(...calls(...deltas), FINISH))).toEqual(['a f {"x":1}']);
  });

  test('every call has the index 0 and its arguments whole', () => {
    const deltas = [
      { index: 0, id: 'a', function: { name: 'f', arguments: '{"n":1}' } },
      { index: 0, id: 'b', function: { name: 'f', arguments: '{"n":2}' } },
    ];
    expect(collectCalls(decodeText(...calls(...deltas), FINISH))).toEqual(['a f {"n":1}', 'b f {"n":2}']);
  });

  test('no ids at all: each call gets its own, fit for every vendor', () => {
    const deltas = [
      { index: 0, id: '', function: { name: 'f', arguments: '{"n":1}' } },
      { index: 0, id: '', function: { name: 'f', arguments: '{"n":2}' } },
    ];
    const parts = decodeText(...calls(...deltas), FINISH);
    expect(collectCalls(parts)).toEqual(['call_chatcmpl1_0 f {"n":1}', 'call_chatcmpl1_1 f {"n":2}']);
    expect(parts.filter(({ type }) => type === 'tool-input-end')).toHaveLength(2);
  });

  test('no indexes: the id tells, and what has none goes on with the last', () => {
    const deltas = [
      { id: 'a', function: { name: 'f', arguments: '{' } },
      { id: 'b', function: { name: 'g', arguments: '[' } },
      { function: { arguments: ']' } },
      { id: 'a', function: { arguments: '}' } },
    ];
    expect(collectCalls(decodeText(...calls(...deltas), FINISH))).toEqual(['a f {}', 'b g []']);
  });

  test('indexes that begin at seven, arguments as an object or missing', () => {
    const deltas = [
      { index: 7, id: 'a', function: { name: 'f', arguments: { x: [1] } } },
      { index: 9, id: 'b', function: { name: 'g' } },
    ];
    expect(collectCalls(decodeText(...calls(...deltas), FINISH))).toEqual(['a f {"x":[1]}', 'b g ']);
  });

  test('TOOL-06 a stop after a call means the call', () => {
    const [start = ''] = calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } });
    expect(decodeText(start, FINISH)).toContainEqual(
      expect.objectContaining({ type: 'finish', reason: 'tool_calls', native: 'stop' }),
    );
  });

  test('arguments after the end of their call are a fault, since nobody could put them right', () => {
    const [start = '', late = ''] = calls(
      { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
      { index: 0, function: { arguments: '{}' } },
    );
    expect(faultOf(decodeText(start, FINISH, late))?.kind).toBe('malformed');
  });
});

describe('the end', () => {
  test.each([
    ['length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['function_call', 'tool_calls'],
    ['SAFETY', 'content_filter'],
    ['eos', 'stop'],
  ])('the word %s means %s', (native, reason) => {
    const finish = frame({ delta: {}, finish_reason: native });
    expect(decodeText(finish)).toEqual([{ type: 'finish', reason, native, stopSequence: null }]);
  });

  test('a last frame without its blank line counts, and an end without a mark is no done', () => {
    const parts = decode([Buffer.from(frame({ delta: { content: 'x' }, finish_reason: 'stop' }).trimEnd())]);
    expect(parts.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-end', 'finish']);
  });

  test('a stream that breaks off leaves its call open', () => {
    const parts = decodeText(...calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }));
    expect(parts.map(({ type }) => type)).toEqual(['tool-input-start', 'tool-input-delta']);
  });

  test('the usage is known at once after the finish, without waiting for the end mark', () => {
    const decoder = createChatStreamDecoder();
    decoder.push(Buffer.from(FINISH));
    const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } })}\n\n`;
    expect(decoder.push(Buffer.from(usage))).toEqual([
      { type: 'usage', usage: expect.objectContaining({ promptTokens: 3, completionTokens: 0 }) },
    ]);
  });

  test.each([{ prompt_tokens: -1, completion_tokens: 2 }, { prompt_tokens: '7' }, 'many', []])(
    'a usage of %j is seen and not believed',
    (usage) => {
      expect(decodeText(frame({ delta: {}, finish_reason: 'stop', usage }), DONE)).toContainEqual({
        type: 'usage',
        usage: null,
      });
    },
  );

  test('usage without a finish still comes before the end mark', () => {
    const parts = decodeText(frame({ delta: { content: 'x' } }, { usage: { prompt_tokens: 1 } }), DONE);
    expect(parts.slice(-3).map(({ type }) => type)).toEqual(['text-end', 'usage', 'done']);
  });

  test('nothing comes out after the end mark', () => {
    expect(decodeText(DONE, frame({ delta: { content: 'x' } }))).toEqual([{ type: 'done' }]);
  });
});

describe('content of all kinds', () => {
  test('lists of parts, a refusal, and thinking among the parts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a' },
      { type: 'new', what: 1 },
      7,
    ];
    const parts = decodeText(frame({ delta: { content } }), frame({ delta: { refusal: 'No.' } }));
    expect(parts).toEqual([
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'reasoning-end' },
      { type: 'text-start' },
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: 'No.' },
    ]);
  });

  test('the same thinking under two names is taken once', () => {
    const parts = decodeText(frame({ delta: { reasoning: 'a', reasoning_content: 'a' } }));
    expect(parts.filter(({ type }) => type === 'reasoning-delta')).toEqual([{ type: 'reasoning-delta', text: 'a' }]);
  });

  test('a signature finds its text although only the signature came with a detail', () => {
    const detail = { type: 'reasoning.text', signature: 's', index: 0 };
    const parts = decodeText(
      frame({ delta: { reasoning: 'a' } }),
      frame({ delta: { reasoning: null, reasoning_details: [detail] } }),
    );
    expect(parts.slice(1)).toEqual([
      { type: 'reasoning-delta', text: 'a' },
      { type: 'reasoning-end', signature: 's' },
    ]);
  });

  test('an item with a summary and its encrypted content are one', () => {
    const item = { id: 'rs_1', format: 'openai-responses-v1', index: 0 };
    const details = [
      { type: 'reasoning.summary', summary: 'short', ...item },
      { type: 'reasoning.encrypted', data: 'ZW5j', ...item },
    ];
    expect(decodeText(frame({ delta: { reasoning_details: details } }))).toEqual([
      { type: 'reasoning-start', itemId: 'rs_1' },
      { type: 'reasoning-delta', text: 'short' },
      { type: 'reasoning-end', encryptedContent: 'ZW5j' },
    ]);
  });

  test('only the first choice is told', () => {
    const second = { index: 1, delta: { content: 'no' }, finish_reason: null };
    const choices = [second, { index: 0, delta: { content: 'yes' }, finish_reason: null }];
    const text = `data: ${JSON.stringify({ choices })}\n\ndata: ${JSON.stringify({ choices: [second] })}\n\n`;
    expect(decodeText(text).filter(({ type }) => type === 'text-delta')).toEqual([{ type: 'text-delta', text: 'yes' }]);
  });
});

describe('faults', () => {
  test('STRM-07 an error frame, with or without its status', () => {
    const limited = `data: ${JSON.stringify({ error: { code: 429, message: 'slow down' } })}\n\n`;
    expect(decodeText(limited)).toEqual([
      { type: 'error', fault: { kind: 'upstream-error', detail: expect.stringContaining('slow down'), status: 429 } },
    ]);
    expect(faultOf(decodeText('event: error\ndata: {"message":"gone"}\n\n'))).toMatchObject({
      kind: 'upstream-error',
      status: null,
    });
    expect(faultOf(decodeText(frame({ delta: { content: '' } }, { error: { message: 'late' } })))).toBeDefined();
  });

  test('ROUTE-12 an error frame or a report that blames the request states it', () => {
    const frameOf = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
    expect(faultOf(decodeText(frameOf({ error: { code: 'content_filter' } })))?.status).toBe(400);
    expect(faultOf(decodeText(frameOf({ base_resp: { status_code: 1026, status_msg: 'x' } })))?.status).toBe(400);
    expect(faultOf(decodeText(frameOf({ base_resp: { status_code: 1002, status_msg: 'x' } })))?.status).toBe(429);
    expect(faultOf(decodeText(frameOf({ base_resp: { status_code: 1000, status_msg: 'x' } })))?.status).toBeNull();
  });

  test('STRM-08 BILL-05 what an answer has used that finished with an error is read, in its frame or after it', () => {
    const usage = { usage: { prompt_tokens: 5, completion_tokens: 2 } };
    const ended = { delta: { content: 'x' }, finish_reason: 'error' };
    const after = `data: ${JSON.stringify({ choices: [], ...usage })}\n\n`;
    for (const text of [frame(ended, usage), frame(ended) + after]) {
      expect(decodeText(text).slice(-2)).toMatchObject([
        { type: 'usage', usage: { promptTokens: 5, completionTokens: 2 } },
        { type: 'error', fault: { isEnd: true } },
      ]);
    }
    const said = decodeText(frame(ended) + frame({ delta: { content: 'late' } }));
    expect(said.filter((part) => part.type === 'text-delta')).toHaveLength(1);
    expect(faultOf(said)).toMatchObject({ kind: 'upstream-error', isEnd: true });
  });

  test('STRM-08 a choice that finishes with an error', () => {
    const parts = decodeText(frame({ delta: { content: 'x' }, finish_reason: 'error', error: { code: 503 } }), DONE);
    expect(faultOf(parts)).toMatchObject({ kind: 'upstream-error', status: 503 });
    expect(parts.at(-1)?.type).toBe('error');
  });

  test.each(['data: {"choices":\n\n', 'data: 7\n\n', 'data: "x"\n\n', 'data: []\n\n', 'data: <html>\n\n'])(
    '%j is malformed',
    (text) => {
      expect(faultOf(decodeText(text, DONE))?.kind).toBe('malformed');
    },
  );

  test('a line of more than a mebibyte and a tower of brackets', () => {
    expect(faultOf(decodeText(`data: "${'x'.repeat(1024 * 1024)}`))?.kind).toBe('oversize');
    const tower = `{"error":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(faultOf(decodeText(`data: ${tower}\n\n`))?.kind).toBe('malformed');
  });

  test('whatever the frames hold, parts come out and nothing is thrown', () => {
    const hostile = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, 0, -1, '', {}, []));
    const call = fc.record(
      { index: hostile, id: hostile, function: fc.oneof(hostile, fc.record({ name: hostile, arguments: hostile })) },
      { requiredKeys: [] },
    );
    const detail = fc.record(
      {
        type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted', 'x'),
        text: hostile,
        data: hostile,
        id: hostile,
        index: hostile,
        signature: hostile,
      },
      { requiredKeys: [] },
    );
    const delta = fc.record(
      {
        content: hostile,
        refusal: hostile,
        reasoning: hostile,
        reasoning_details: fc.oneof(hostile, fc.array(detail, { maxLength: 3 })),
        tool_calls: fc.oneof(hostile, fc.array(fc.oneof(hostile, call), { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    const choice = fc.record({ index: hostile, delta: fc.oneof(hostile, delta), finish_reason: hostile });
    const json = fc.record({
      choices: fc.oneof(hostile, fc.array(fc.oneof(hostile, choice), { maxLength: 2 })),
      usage: hostile,
      error: fc.option(hostile, { freq: 1 }),
      id: hostile,
    });
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), (frames) => {
        const parts = decodeText(...frames.map((value) => `data: ${JSON.stringify(value)}\n\n`));
        expect(parts.filter(({ type }) => type === 'error').length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
