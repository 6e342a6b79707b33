// Guarantees: the events come in the order that clients need, one block open at a time, whatever the order in which
// another vendor's parts arrived; and putting the events together gives what was sent.

import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { StreamFinish } from '../stream-pipe.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { createMessagesRenderer } from './render-stream.ts';
import { isSealed, unsealReasoning } from './sealed-reasoning.ts';

type Event = { type: string; index?: number; delta?: Record<string, string>; [key: string]: unknown };
type Block = Record<string, unknown>;

/** Which member of a block a delta adds to, and under which name the delta carries it. */
const GROWING: Record<string, readonly [member: string, from: string]> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['json', 'partial_json'],
};

const USAGE: Usage = { ...zeroUsage, promptTokens: 100, completionTokens: 20, cachedTokens: 60, cacheWriteTokens: 10 };
const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] });
const stopped: StreamFinish = { reason: 'stop', native: 'stop', stopSequence: null };
const create = () => createMessagesRenderer({ id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request });

function render(parts: readonly StreamPart[], finish: StreamFinish = stopped): Event[] {
  const renderer = create();
  return eventsOf(parts.map((part) => renderer.render(part)).join('') + renderer.finale(finish, USAGE, 0.5));
}

function eventsOf(text: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const json: Event = JSON.parse(data);
      expect(event).toBe(json.type);
      events.push(json);
    },
  });
  parser.feed(text);
  return events;
}

/** Joins the blocks as an SDK does, and checks the order of their events. */
function blocksOf(events: readonly Event[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const { type, index, content_block: block, delta } of events) {
    if (!type.startsWith('content_block')) continue;
    expect(index).toBe(type === 'content_block_start' ? blocks.length : blocks.length - 1);
    if (type === 'content_block_start') {
      expect(open).toBeNull();
      open = { ...(block as Block), json: '' };
      blocks.push(open);
    } else if (type === 'content_block_stop') open = null;
    else {
      const [member, from] = GROWING[delta?.type ?? ''] ?? expect.fail('an unknown delta');
      if (open === null) expect.fail('a delta outside of a block');
      open[member] = String(open[member]) + delta?.[from];
    }
  }
  expect(open).toBeNull();
  return blocks;
}

const text = (...texts: string[]): StreamPart[] => [
  { type: 'text-start' },
  ...texts.map((piece): StreamPart => ({ type: 'text-delta', text: piece })),
  { type: 'text-end' },
];
const toolStart = (index: number): StreamPart => ({
  type: 'tool-input-start',
  index,
  id: `call_${index}`,
  name: `f${index}`,
});
const toolDelta = (index: number, piece: string): StreamPart => ({ type: 'tool-input-delta', index, text: piece });
const toolEnd = (index: number): StreamPart => ({ type: 'tool-input-end', index });
const toolBlock = (index: number, json: string) => ({
  type: 'tool_use',
  id: `call_${index}`,
  name: `f${index}`,
  input: {},
  json,
});

test('MSGS-09 a text, event by event', () => {
  const events = render(text('Hé', '', 'llo'));
  expect(events.map(({ type }) => type)).toEqual([
    ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
    ...['message_delta', 'message_stop'],
  ]);
  expect(events[0]?.message).toEqual({
    id: 'gen-1',
    type: 'message',
    role: 'assistant',
    model: 'acme/model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: expect.any(Number),
      output_tokens: 1,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  });
  expect(events.at(-2)).toEqual({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: {
      input_tokens: 30,
      output_tokens: 20,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      tollgate_cost: 0.5,
    },
  });
  expect(blocksOf(events)).toMatchObject([{ type: 'text', text: 'Héllo' }]);
});

test('a tool that takes plain text has it as its one argument', () => {
  const start = { ...toolStart(0), isPlain: true } as StreamPart;
  const parts = [
    start,
    toolDelta(0, '+ "\ud83d'),
    toolDelta(0, '\udc4b\n'),
    toolEnd(0),
    toolStart(1),
    toolDelta(1, '{}'),
  ];
  expect(blocksOf(render(parts))).toEqual([toolBlock(0, expect.anything()), toolBlock(1, '{}')]);
  const [block] = blocksOf(render(parts));
  expect(JSON.parse(String(block?.json))).toEqual({ input: '+ "👋\n' });
});

test('text is sent as it comes, not at the end', () => {
  const renderer = create();
  expect(renderer.render({ type: 'text-start' })).toBe('');
  expect(renderer.render({ type: 'text-delta', text: 'a' })).toContain('message_start');
  expect(eventsOf(renderer.render({ type: 'text-delta', text: 'b' }))).toEqual([
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
  ]);
});

describe('MSGS-06 stop reasons', () => {
  test.each([
    [{ reason: 'stop', native: null, stopSequence: null }, 'end_turn'],
    [{ reason: 'stop', native: 'stop', stopSequence: 'END' }, 'stop_sequence'],
    [{ reason: 'length', native: 'length', stopSequence: null }, 'max_tokens'],
    [{ reason: 'tool_calls', native: null, stopSequence: null }, 'tool_use'],
    [{ reason: 'content_filter', native: null, stopSequence: null }, 'refusal'],
  ] as const)('%j', (finish, expected) => {
    const delta = { stop_reason: expected, stop_sequence: finish.stopSequence };
    expect(render(text('x'), finish).at(-2)).toMatchObject({ delta });
  });

  test('a call of a tool is the reason, whatever the upstream calls it', () => {
    expect(render([toolStart(0), toolEnd(0)]).at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });
});

describe('TOOL-08 tools', () => {
  test('inputs that arrive interleaved are sent one after the other, to the byte', () => {
    const parts = [
      ...text('Both.'),
      toolStart(0),
      toolDelta(0, '{"a":'),
      toolStart(1),
      toolDelta(1, '{"b": 1.0,'),
      toolDelta(0, '"é"}'),
      toolDelta(1, ' "n": 12345678901234567890}'),
      toolEnd(1),
      toolEnd(0),
    ];
    expect(blocksOf(render(parts))).toMatchObject([
      { type: 'text', text: 'Both.' },
      toolBlock(0, '{"a":"é"}'),
      toolBlock(1, '{"b": 1.0, "n": 12345678901234567890}'),
    ]);
  });

  test('any interleaving, ended or not, gives each call its own input in the order of the starts', () => {
    const inputs = fc.array(fc.array(fc.string({ maxLength: 8 }), { maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(inputs, fc.array(fc.nat(), { maxLength: 40 }), fc.boolean(), (pieces, order, hasEnds) => {
        const queues = pieces.map((list, index) => [
          toolStart(index),
          ...list.map((piece) => toolDelta(index, piece)),
          ...(hasEnds ? [toolEnd(index)] : []),
        ]);
        const started: number[] = [];
        const parts: StreamPart[] = [];
        const takeFrom = (pick: number): void => {
          const live = queues.filter((queue) => queue.length > 0);
          const part = live[pick % Math.max(live.length, 1)]?.shift();
          if (part === undefined) return;
          if (part.type === 'tool-input-start') started.push(part.index);
          parts.push(part);
        };
        for (const pick of order) takeFrom(pick);
        while (queues.some((queue) => queue.length > 0)) takeFrom(0);
        const expected = started.map((index) => toolBlock(index, (pieces[index] ?? []).join('')));
        expect(blocksOf(render(parts))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('an index that is used again is another call, and a delta without a start is nothing', () => {
    const parts = [toolDelta(3, 'lost'), toolStart(0), toolDelta(0, '{}'), toolStart(0), toolDelta(0, '[]')];
    expect(blocksOf(render(parts))).toEqual([toolBlock(0, '{}'), toolBlock(0, '[]')]);
  });

  test('text whose end was never told ends where a tool begins', () => {
    const parts: StreamPart[] = [{ type: 'text-delta', text: 'x' }, toolStart(0)];
    const renderer = create();
    expect(parts.map((part) => renderer.render(part)).join('')).toContain('tool_use');
  });
});

describe('reasoning', () => {
  const thought: StreamPart[] = [
    { type: 'reasoning-start', itemId: 'rs_1' },
    { type: 'reasoning-delta', text: 'Hm.' },
  ];

  test('a genuine signature follows the thinking', () => {
    const parts: StreamPart[] = [...thought, { type: 'reasoning-end', signature: 'EqQB' }, ...text('Yes.')];
    expect(blocksOf(render(parts))).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  test('the opaque half of another vendor travels inside the signature', () => {
    const [block] = blocksOf(render([...thought, { type: 'reasoning-end', encryptedContent: 'gAAA' }]));
    expect(block).toMatchObject({ type: 'thinking', thinking: 'Hm.' });
    expect(unsealReasoning(String(block?.signature))).toEqual({ itemId: 'rs_1', encryptedContent: 'gAAA' });
  });

  test('thinking that nobody signed can be told apart later, also when its end was never told', () => {
    for (const parts of [thought, [...thought, { type: 'reasoning-end' } as const]]) {
      const [block] = blocksOf(render(parts));
      expect(isSealed(block?.signature)).toBe(true);
    }
  });

  test('redacted thinking is a block of its own, and an empty thought is none', () => {
    const hidden: StreamPart[] = [{ type: 'reasoning-start' }, { type: 'reasoning-end', redactedData: 'Emw' }];
    expect(blocksOf(render(hidden))).toMatchObject([{ type: 'redacted_thinking', data: 'Emw' }]);
    const empty: StreamPart[] = [{ type: 'reasoning-start' }, { type: 'reasoning-end' }];
    expect(blocksOf(render([...empty, ...text('x')]))).toMatchObject([{ type: 'text', text: 'x' }]);
  });
});

test('an answer without content has one empty block', () => {
  const events = render([{ type: 'text-start' }, { type: 'text-end' }]);
  expect(events.map(({ type }) => type)).toEqual([
    ...['message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop'],
  ]);
});

test('MSGS-10 STRM-03 failure and silence have events of their own', () => {
  const renderer = create();
  expect(renderer.keepAliveFrame).toBe('event: ping\ndata: {"type": "ping"}\n\n');
  expect(eventsOf(renderer.failure(new ApiError('upstream_unavailable', 'Gone.')))).toEqual([
    { type: 'error', error: { type: 'api_error', message: 'Gone.', code: 'upstream_unavailable' } },
  ]);
});

test('citations belong to the block of their text, also those that come before it', () => {
  const page = { url: 'https://a.example', title: 'A', citedText: 'Quoted.', documentIndex: null, range: null };
  const place = { url: null, title: 'facts.txt', citedText: null, documentIndex: 2, range: null };
  const events = render([
    { type: 'citation', citation: page },
    { type: 'text-start' },
    { type: 'text-delta', text: 'Two.' },
    { type: 'citation', citation: place },
    { type: 'text-end' },
  ]);
  const deltas = events.flatMap(({ index, delta }) => (delta?.type === 'citations_delta' ? [{ index, delta }] : []));
  expect(deltas).toMatchObject([
    { index: 0, delta: { citation: { type: 'web_search_result_location', url: 'https://a.example', title: 'A' } } },
    { index: 0, delta: { citation: { type: 'char_location', document_index: 2, document_title: 'facts.txt' } } },
  ]);
});

test('sources that come after their text are of its block still, and documents say where in what they count by', () => {
  const page = { url: 'https://a.example', title: 'A', citedText: 'Quoted.', documentIndex: null, range: null };
  const paper = { url: null, title: 'facts.pdf', citedText: 'Quoted.', documentIndex: 1, range: null };
  const events = render([
    { type: 'text-start' },
    { type: 'text-delta', text: 'One.' },
    { type: 'text-end' },
    { type: 'citation', citation: page },
    { type: 'text-start' },
    { type: 'text-delta', text: 'Two.' },
    { type: 'text-end' },
    { type: 'citation', citation: { ...paper, place: { unit: 'page', start: 3, end: 4 } } },
    { type: 'citation', citation: { ...paper, place: { unit: 'block', start: 0, end: 2 } } },
    { type: 'citation', citation: { ...paper, place: { unit: 'character', start: 40, end: 47 } } },
  ]);
  const deltas = events.flatMap(({ index, delta }) => (delta?.type === 'citations_delta' ? [{ index, delta }] : []));
  expect(deltas).toMatchObject([
    { index: 0, delta: { citation: { url: 'https://a.example' } } },
    { index: 1, delta: { citation: { type: 'page_location', start_page_number: 3, end_page_number: 4 } } },
    { index: 1, delta: { citation: { type: 'content_block_location', start_block_index: 0, end_block_index: 2 } } },
    { index: 1, delta: { citation: { type: 'char_location', start_char_index: 40, end_char_index: 47 } } },
  ]);
  expect(events.filter(({ type }) => type === 'content_block_stop')).toHaveLength(2);
});
