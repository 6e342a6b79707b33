// The parts of a stream depend only on its content and never on how the bytes were cut, and no upstream can make them
// malformed.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { zeroUsage } from '../../../canonical/usage.ts';
import { createMessageStreamDecoder } from './decode-stream.ts';

const read = (name: string) => readFileSync(new URL(`./__fixtures__/${name}.chunks.txt`, import.meta.url), 'utf8');

function decodePieces(...pieces: readonly Buffer[]): StreamPart[] {
  const decoder = createMessageStreamDecoder();
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}
const decode = (text: string) => decodePieces(Buffer.from(text));
const frame = (type: string, rest: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const blockStart = (index: number, content_block: object) => frame('content_block_start', { index, content_block });
const blockDelta = (index: number, delta: object) => frame('content_block_delta', { index, delta });
const blockStop = (index: number) => frame('content_block_stop', { index });
const text = (index: number, words: string) => blockDelta(index, { type: 'text_delta', text: words });
const json = (index: number, part: string) => blockDelta(index, { type: 'input_json_delta', partial_json: part });
const finish = (usage?: object, stop_reason: string | null = 'end_turn') =>
  frame('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
const start = (usage?: object) => frame('message_start', { message: { usage } });
const stop = frame('message_stop');

const TEXT_PARTS: readonly StreamPart[] = [
  { type: 'text-start' },
  ...['Grüße', ' aus ', '東京 ', '🚉', '\n"quoted" \\ back'].map((words) => ({
    type: 'text-delta' as const,
    text: words,
  })),
  { type: 'text-end' },
  { type: 'finish', reason: 'stop', native: 'end_turn', stopSequence: null },
  { type: 'usage', usage: { ...zeroUsage, promptTokens: 25, completionTokens: 15 } },
  { type: 'done' },
];

test('STRM-02 text arrives as it was written, then the finish and the usage', () => {
  expect(decode(read('stream-text'))).toEqual(TEXT_PARTS);
});

test('TOOL-08 CHAT-41 thinking with its proof, text and parallel calls, arguments byte for byte', () => {
  expect(decode(read('stream-thinking-tools'))).toEqual([
    { type: 'reasoning-start' },
    { type: 'reasoning-delta', text: 'Two cities,' },
    { type: 'reasoning-delta', text: ' so two calls.' },
    { type: 'reasoning-end', signature: 'EqQBCkYIBxgCKkBz==' },
    { type: 'reasoning-start' },
    { type: 'reasoning-end', redactedData: 'EmwKAhgBEgy3va==' },
    { type: 'text-start' },
    { type: 'text-delta', text: 'Let me look.' },
    { type: 'text-end' },
    { type: 'tool-input-start', index: 0, id: 'toolu_A', name: 'get_weather' },
    { type: 'tool-input-delta', index: 0, text: '{"ci' },
    { type: 'tool-input-delta', index: 0, text: 'ty": "Z\\u00fcri' },
    { type: 'tool-input-delta', index: 0, text: 'ch", "id": 9007199254740993' },
    { type: 'tool-input-delta', index: 0, text: '}' },
    { type: 'tool-input-end', index: 0 },
    { type: 'tool-input-start', index: 1, id: 'toolu_B', name: 'now' },
    { type: 'tool-input-delta', index: 1, text: '{}' },
    { type: 'tool-input-end', index: 1 },
    { type: 'finish', reason: 'tool_calls', native: 'tool_use', stopSequence: null },
    {
      type: 'usage',
      usage: {
        ...zeroUsage,
        promptTokens: 1_210,
        cachedTokens: 1_000,
        cacheWriteTokens: 200,
        completionTokens: 90,
        reasoningTokens: 40,
      },
    },
    { type: 'done' },
  ]);
});

test("the upstream's own tools and unknown events are passed over, and citations are of their text", () => {
  expect(decode(read('stream-server-tools'))).toEqual([
    { type: 'text-start' },
    { type: 'text-delta', text: 'Searching.' },
    { type: 'text-end' },
    { type: 'text-start' },
    {
      type: 'citation',
      citation: { url: 'https://example.com', title: null, citedText: null, documentIndex: null, range: null },
    },
    { type: 'text-delta', text: 'Found it.' },
    { type: 'text-end' },
    { type: 'finish', reason: 'stop', native: 'stop_sequence', stopSequence: 'END' },
    { type: 'usage', usage: { ...zeroUsage, promptTokens: 900, completionTokens: 30, units: { webSearches: 1 } } },
    { type: 'done' },
  ]);
});

test("blocks of the upstream's own tools are given where they are wanted, each when it is complete", () => {
  const decoder = createMessageStreamDecoder({ keepsBlocks: true });
  const bytes = Buffer.from(read('stream-server-tools'));
  const parts = [...bytes].flatMap((_byte, place) => decoder.push(bytes.subarray(place, place + 1)));
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: '{"query":"tolls"}' };
  const found = [{ type: 'web_search_result', title: 'Tolls', url: 'https://example.com' }];
  expect(parts.slice(2, 6)).toEqual([
    { type: 'text-end' },
    { type: 'block', block: use, writtenLength: 17 },
    {
      type: 'block',
      block: { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: found },
      writtenLength: 0,
    },
    { type: 'text-start' },
  ]);
});

test('an input that has not ended counts as kept, and a block that never ends is over when another begins', () => {
  const decoder = createMessageStreamDecoder({ keepsBlocks: true });
  const push = (text: string) => decoder.push(Buffer.from(text));
  const use = { type: 'server_tool_use', id: 'a', name: 'f', input: {} };
  push(start() + blockStart(0, use) + json(0, '{"a":'));
  expect(decoder.keptBytes).toBe(5);
  expect(push(blockStart(1, { type: 'mcp_tool_result', content: 'x' }))).toMatchObject([{ type: 'block' }]);
  expect(decoder.keptBytes).toBe(0);
});

describe('F33 the same parts from every form of the same bytes', () => {
  const names = ['stream-text', 'stream-thinking-tools', 'stream-server-tools'];

  test.each(names)('%s cut in two at every offset', (name) => {
    const bytes = Buffer.from(read(name));
    const whole = decodePieces(bytes);
    for (let offset = 1; offset < bytes.length; offset += 1) {
      expect(decodePieces(bytes.subarray(0, offset), bytes.subarray(offset))).toEqual(whole);
    }
  });

  test.each(names)('%s byte by byte, with CRLF, CR, a byte order mark, comments and no space', (name) => {
    const original = read(name);
    const whole = decode(original);
    const crlf = original.replaceAll('\n', '\r\n');
    const forms = [
      original,
      crlf,
      original.replaceAll('\n', '\r'),
      `\ufeff${original}`,
      original.replaceAll('event:', ': keep alive\nid: 7\nretry: 5\nevent:'),
      original.replaceAll('data: ', 'data:').replaceAll('event: ', 'event:'),
      original.replaceAll(/event: .*\n/g, ''),
      original.trimEnd(),
    ];
    for (const form of forms) {
      expect(decode(form)).toEqual(whole);
      expect(decodePieces(...[...Buffer.from(form)].map((byte) => Buffer.from([byte])))).toEqual(whole);
    }
  });

  test('data over several lines, at random cuts', () => {
    const form = read('stream-text').replaceAll('"index"', '\ndata: "index"');
    const bytes = Buffer.from(form);
    const cuts = fc.uniqueArray(fc.nat(bytes.length), { maxLength: 20 }).map((list) => list.sort((a, b) => a - b));
    fc.assert(
      fc.property(cuts, (offsets) => {
        const pieces = [0, ...offsets].map((offset, index) => bytes.subarray(offset, offsets[index] ?? bytes.length));
        expect(decodePieces(...pieces)).toEqual(TEXT_PARTS);
      }),
      { numRuns: 200 },
    );
  });
});

describe('tools', () => {
  test('TOOL-08 calls that overlap are told apart, and the first has index 0', () => {
    const a = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const b = { type: 'tool_use', id: 'b', name: 'g', input: {} };
    const stream =
      blockStart(0, a) + blockStart(1, b) + json(1, '{"y"') + json(0, '{"x"') + json(1, ':2}') + json(0, ':1}');
    const parts = decode(
      start() + stream + blockStop(0) + blockStop(1) + finish({ output_tokens: 1 }, 'tool_use') + stop,
    );
    const inputOf = (index: number) =>
      parts.map((part) => (part.type === 'tool-input-delta' && part.index === index ? part.text : '')).join('');
    expect([inputOf(0), inputOf(1)]).toEqual(['{"x":1}', '{"y":2}']);
  });

  test('TOOL-08 input that comes whole is one piece, unless pieces follow after all', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: { x: [1] } };
    const deltas = (stream: string) =>
      decode(stream).flatMap((part) => (part.type === 'tool-input-delta' ? [part.text] : []));
    expect(deltas(blockStart(0, call) + blockStop(0))).toEqual(['{"x":[1]}']);
    expect(deltas(blockStart(0, call) + json(0, '{"x":[1]}') + blockStop(0))).toEqual(['{"x":[1]}']);
    expect(deltas(blockStart(0, { ...call, input: '' }))).toEqual(['{}']);
  });

  test('a call without a name or an id is a fault', () => {
    for (const content of [
      { type: 'tool_use', id: 'a' },
      { type: 'tool_use', name: 'f' },
      { type: 'tool_use', id: '', name: 'f' },
    ]) {
      expect(decode(blockStart(0, content)).at(-1)).toMatchObject({ type: 'error', fault: { kind: 'malformed' } });
    }
  });
});

describe('blocks that an upstream opens or closes badly', () => {
  test('F33 text whose block was never opened is not lost', () => {
    const thought = blockDelta(1, { type: 'thinking_delta', thinking: 'Hm.' });
    expect(decode(text(0, 'Hi') + thought + json(2, '{}'))).toEqual([
      { type: 'text-start' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'text-end' },
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Hm.' },
      { type: 'reasoning-end' },
    ]);
  });

  test('F33 a call ends the text that was left open', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const parts = decode(blockStart(0, { type: 'text', text: 'Hi' }) + blockStart(1, call) + stop);
    const types = parts.map(({ type }) => type);
    expect(types.indexOf('text-end')).toBe(types.indexOf('tool-input-start') - 1);
  });
});

describe('usage', () => {
  const usageParts = (stream: string) => decode(stream).filter((part) => part.type === 'usage');
  const used = (promptTokens: number, completionTokens: number) => [
    { type: 'usage', usage: { ...zeroUsage, promptTokens, completionTokens } },
  ];

  test('USG-3 F27 a repeated or running count is given out once and not added up', () => {
    const first = start({ input_tokens: 10, output_tokens: 1 });
    const running = finish({ output_tokens: 5 }, null) + finish({ output_tokens: 9 }, null);
    const last = finish({ input_tokens: 10, output_tokens: 20 });
    expect(usageParts(first + running + last + last + stop)).toEqual(used(10, 20));
  });

  test('STRM-06 F28 F29 a stream that breaks off has no usage, whatever it has said so far', () => {
    const first = start({ input_tokens: 10, output_tokens: 1 }) + blockStart(0, { type: 'text', text: 'Hi' });
    expect(usageParts(first + finish({ output_tokens: 5 }, null))).toEqual([]);
    expect(decode(first).some((part) => part.type === 'finish')).toBe(false);
  });

  test('F30 once the finish is stated a lost connection takes nothing back', () => {
    const decoder = createMessageStreamDecoder();
    const parts = decoder.push(Buffer.from(start({ input_tokens: 10 }) + finish({ output_tokens: 5 })));
    expect(parts.map((part) => part.type)).toEqual(['finish', 'usage']);
  });

  test('F22 without a final record there is none, and a count before the reason is not lost', () => {
    expect(usageParts(start({ input_tokens: 10, output_tokens: 1 }) + finish() + stop)).toEqual([]);
    expect(usageParts(start() + finish({ input_tokens: 3, output_tokens: 4 }, null) + stop)).toEqual(used(3, 4));
    expect(usageParts(start() + finish() + finish({ input_tokens: 3, output_tokens: 4 }, null) + stop)).toEqual(
      used(3, 4),
    );
  });

  test('USG-1 F25 a hostile count is no usage at all', () => {
    for (const usage of [{ output_tokens: -1 }, { output_tokens: 1.5 }, { input_tokens: '5' }, [], 'x', 5]) {
      expect(usageParts(start({ input_tokens: 10 }) + finish(usage as object) + stop)).toEqual([
        { type: 'usage', usage: null },
      ]);
    }
  });
});

describe('endings', () => {
  test('where the own tools ran is told at the end, also where it was named at the start', () => {
    const container = { id: 'container_1', expires_at: '2026-11-18T12:00:00Z' };
    const bytes = Buffer.from(frame('message_start', { message: { container } }) + finish());
    const parts = createMessageStreamDecoder({ keepsBlocks: true }).push(bytes);
    expect(parts).toMatchObject([{ type: 'own', members: { container } }, { type: 'finish' }]);
  });

  test('nothing follows the end mark', () => {
    const parts = decode(read('stream-text') + read('stream-text'));
    expect(parts).toEqual(TEXT_PARTS);
  });

  test('ERR-10 an end mark without a reason is an ordinary end where the answer was counted, else none', () => {
    const counted = frame('message_delta', { delta: {}, usage: { output_tokens: 3 } });
    expect(decode(start() + counted + stop)).toContainEqual({
      type: 'finish',
      reason: 'stop',
      native: null,
      stopSequence: null,
    });
    expect(decode(start() + stop)).toEqual([{ type: 'done' }]);
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    expect(decode(start() + blockStart(0, call) + counted + stop)).toContainEqual({
      type: 'finish',
      reason: 'tool_calls',
      native: null,
      stopSequence: null,
    });
  });

  test('STRM-07 an error event is a fault with the status its type stands for, and the end', () => {
    const error = (type: string) => frame('error', { error: { type, message: 'key sk-ant-api03-SECRETSECRET' } });
    for (const [type, status] of [
      ['overloaded_error', 529],
      ['rate_limit_error', 429],
      ['news_error', null],
    ] as const) {
      const parts = decode(start() + error(type) + text(0, 'more') + stop);
      expect(parts).toMatchObject([{ type: 'error', fault: { kind: 'upstream-error', status } }]);
      expect(JSON.stringify(parts)).not.toContain('SECRET');
    }
    expect(decode('event: error\ndata: {"error":"down"}\n\n')).toMatchObject([
      { type: 'error', fault: { status: null } },
    ]);
  });

  test('F33 a line over a mebibyte is a fault, and what came before it stands', () => {
    const parts = decode(
      start() + blockStart(0, { type: 'text' }) + text(0, 'Hi') + text(0, 'x'.repeat(1024 * 1024)) + stop,
    );
    expect(parts).toMatchObject([
      { type: 'text-start' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'error', fault: { kind: 'oversize' } },
    ]);
    const endless = createMessageStreamDecoder();
    const outputs = Array.from({ length: 40 }, () => endless.push(Buffer.alloc(65_536, 0x78))).flat();
    expect(outputs).toMatchObject([{ type: 'error', fault: { kind: 'oversize' } }]);
  });

  test('F33 a frame that is no JSON object is a fault; an end mark of another protocol is not', () => {
    for (const data of ['oops', '[]', 'null', '5', '{"type":', `{"a":${'['.repeat(200_000)}`]) {
      expect(decode(`data: ${data}\n\n`)).toMatchObject([{ type: 'error', fault: { kind: 'malformed' } }]);
    }
    expect(decode('data: [DONE]\n\n')).toEqual([]);
  });
});

/** Every start has its end, deltas are between the two, and nothing follows the part that ends the stream. */
function assertWellFormed(parts: readonly StreamPart[]): void {
  let spoken: string | null = null;
  const tools = new Set<number>();
  const once = new Set<string>();
  for (const part of parts) {
    expect(once.has('error') || once.has('done')).toBe(false);
    const [kind, verb] = part.type.split(/-(?=[^-]+$)/) as [string, string | undefined];
    if (part.type === 'tool-input-start') tools.add(part.index);
    else if (part.type === 'tool-input-delta') expect(tools.has(part.index)).toBe(true);
    else if (part.type === 'tool-input-end') expect(tools.delete(part.index)).toBe(true);
    else if (verb === undefined) {
      expect(once.has(part.type)).toBe(false);
      once.add(part.type);
    } else {
      expect(once.size).toBe(0);
      expect(spoken).toBe(verb === 'start' ? null : kind);
      if (verb !== 'delta') spoken = verb === 'start' ? kind : null;
    }
  }
  if (!once.has('error')) expect([spoken, tools.size]).toEqual([null, 0]);
}

test('F33 whatever events a stranger sends in whatever order, the parts are well-formed', () => {
  const index = fc.oneof(fc.nat(2), fc.constantFrom(-1, 1.5, null, 'x'));
  const content = fc.oneof(
    fc.constantFrom(
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'b', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'tool_use', id: 'i', name: 'n', input: {} },
      { type: 'server_tool_use' },
    ),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const delta = fc.oneof(
    fc.constantFrom(
      { type: 'text_delta', text: 'c' },
      { type: 'thinking_delta', thinking: 'd' },
      { type: 'signature_delta', signature: 't' },
      { type: 'input_json_delta', partial_json: '{}' },
      { stop_reason: 'end_turn' },
    ),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const type = fc.constantFrom(
    ...[
      'content_block_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
    ],
    ...['content_block_stop', 'message_start', 'message_delta', 'message_stop', 'ping', 'error'],
  );
  const event = fc.record({ type, index, content_block: content, delta, usage: fc.jsonValue({ maxDepth: 1 }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 25 }), (events) => {
      assertWellFormed(decode(events.map((item) => `data: ${JSON.stringify(item)}\n\n`).join('')));
    }),
    { numRuns: 1_500 },
  );
});
