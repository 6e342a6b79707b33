// The events of a translated stream are complete enough for the real SDK to build the answer, come in an order that
// agents rely on, and never end the answer before the call is paid for.

import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { StreamFinish } from '../stream-pipe.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { createResponsesRenderer } from './render-stream.ts';
import { unsealReasoning } from './sealed-reasoning.ts';

type Event = JsonObject & { type: string; sequence_number: number };

const usage = { ...zeroUsage, promptTokens: 10, completionTokens: 5, cachedTokens: 2, reasoningTokens: 1 };
const stopped: StreamFinish = { reason: 'stop', native: null, stopSequence: null };

function rendererFor(body: JsonObject = {}) {
  const request = parseResponsesRequest({ model: 'acme/x', input: 'Hi', ...body });
  return createResponsesRenderer({ id: 'gen-1', modelId: 'acme/x', createdSeconds: 5, request });
}

function readEvents(text: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const json = JSON.parse(data) as Event;
      expect(json.type).toBe(event);
      events.push(json);
    },
  });
  parser.feed(text);
  return events;
}

function render(parts: readonly StreamPart[], finish = stopped, body: JsonObject = {}): Event[] {
  const renderer = rendererFor(body);
  const content = parts.map((part) => renderer.render(part)).join('');
  return readEvents(content + renderer.finale(finish, usage, 0.25));
}

function accumulate(events: readonly Event[]): Response {
  let snapshot: Response | undefined;
  for (const event of events) snapshot = accumulateResponse(event as unknown as ResponseStreamEvent, snapshot);
  if (snapshot === undefined) throw new Error('no events');
  return snapshot;
}

const said = (...texts: string[]): StreamPart[] => [
  { type: 'text-start' },
  ...texts.map((text): StreamPart => ({ type: 'text-delta', text })),
  { type: 'text-end' },
];

describe('RESP-15 the sequence', () => {
  test('of a text', () => {
    const events = render(said('Hel', 'lo'));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const id = 'msg_gen_1_0';
    expect(events[2]).toMatchObject({ output_index: 0, item: { id, role: 'assistant', status: 'in_progress' } });
    expect(events[4]).toMatchObject({ item_id: id, output_index: 0, content_index: 0, delta: 'Hel', logprobs: [] });
    expect(events[6]).toMatchObject({ item_id: id, text: 'Hello', logprobs: [] });
    expect(events[8]).toMatchObject({
      item: {
        id,
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
      },
    });
    expect(events[9]?.response).toMatchObject({
      id: 'resp_gen-1',
      object: 'response',
      model: 'acme/x',
      status: 'completed',
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 15,
        cost: 0.25,
      },
    });
  });

  test('of calls side by side, each its own item with its exact arguments', () => {
    const events = render(
      [
        { type: 'tool-input-start', index: 0, id: 'call_a', name: 'one' },
        { type: 'tool-input-start', index: 1, id: 'call_b', name: 'two' },
        { type: 'tool-input-delta', index: 0, text: '{"x":' },
        { type: 'tool-input-delta', index: 1, text: '{"y": 1.0' },
        { type: 'tool-input-delta', index: 0, text: '"\\u00e9"}' },
        { type: 'tool-input-end', index: 0 },
        { type: 'tool-input-delta', index: 1, text: '}' },
        { type: 'tool-input-end', index: 1 },
      ],
      { ...stopped, reason: 'tool_calls' },
    );
    expect(accumulate(events).output).toMatchObject([
      { type: 'function_call', call_id: 'call_a', name: 'one', arguments: '{"x":"\\u00e9"}', status: 'completed' },
      { type: 'function_call', call_id: 'call_b', name: 'two', arguments: '{"y": 1.0}', status: 'completed' },
    ]);
    const done = events.filter(({ type }) => type === 'response.function_call_arguments.done');
    expect(done.map((event) => event.arguments)).toEqual(['{"x":"\\u00e9"}', '{"y": 1.0}']);
  });

  test('of thinking, whose proof comes back as it went', () => {
    const events = render([
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'Hm, ' },
      { type: 'reasoning-delta', text: 'yes.' },
      { type: 'reasoning-end', signature: 'SIG' },
      { type: 'reasoning-start', itemId: 'rs_native' },
      { type: 'reasoning-end', encryptedContent: 'ENC' },
      ...said('Done'),
    ]);
    const [first, second] = accumulate(events).output;
    if (first?.type !== 'reasoning') throw new Error('no reasoning');
    expect(first.summary).toEqual([{ type: 'summary_text', text: 'Hm, yes.' }]);
    expect(unsealReasoning(first.encrypted_content ?? '')).toMatchObject({ signature: 'SIG' });
    expect(second).toEqual({ id: 'rs_native', type: 'reasoning', summary: [], encrypted_content: 'ENC' });
    expect(events.map(({ type }) => type).filter((type) => type.includes('summary'))).toEqual([
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
    ]);
  });

  test.each([false, true])('of thinking that nobody has signed, sealed all the same; hidden: %s', (exclude) => {
    const thinking: StreamPart[] = [
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'plain' },
      { type: 'reasoning-end' },
    ];
    const [item] = accumulate(render([...thinking, ...said('x')], stopped, { reasoning: { exclude } })).output;
    if (item?.type !== 'reasoning') throw new Error('no reasoning');
    // Clients that keep the conversation themselves refuse to go on from an item without it.
    expect(unsealReasoning(item.encrypted_content ?? '')).toEqual({});
    expect(item.summary).toEqual(exclude ? [] : [{ type: 'summary_text', text: 'plain' }]);
  });

  test('of thinking that the caller does not want to see', () => {
    const thinking: StreamPart[] = [
      { type: 'reasoning-start' },
      { type: 'reasoning-delta', text: 'secret' },
      { type: 'reasoning-end', signature: 'SIG' },
    ];
    const events = render([...thinking, ...said('x')], stopped, { reasoning: { exclude: true } });
    expect(JSON.stringify(events)).not.toContain('secret');
    const [item] = accumulate(events).output;
    const sealed = item?.type === 'reasoning' ? item.encrypted_content : null;
    expect(unsealReasoning(sealed ?? '')).toEqual({ signature: 'SIG', text: 'secret' });
  });

  test('of a function in a namespace, called by both names', () => {
    const namespace = { type: 'namespace', name: 'clock', tools: [{ type: 'function', name: 'sleep' }] };
    const parts: StreamPart[] = [
      { type: 'tool-input-start', index: 0, id: 'c', name: 'clock__sleep' },
      { type: 'tool-input-end', index: 0 },
    ];
    expect(accumulate(render(parts, stopped, { tools: [namespace] })).output).toMatchObject([
      { name: 'sleep', namespace: 'clock' },
    ]);
  });
});

describe('STRM-04 RESP-15 the ending waits for the finale', () => {
  test('the last item and the response are closed only then, earlier items as soon as another begins', () => {
    const renderer = rendererFor();
    const first = said('a')
      .map((part) => renderer.render(part))
      .join('');
    expect(first).not.toContain('.done');
    const second = renderer.render({ type: 'tool-input-start', index: 0, id: 'c', name: 'f' });
    expect(readEvents(second).map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
    ]);
    renderer.render({ type: 'tool-input-delta', index: 0, text: '{}' });
    expect(renderer.render({ type: 'tool-input-end', index: 0 })).toBe('');
    expect(readEvents(renderer.finale(stopped, usage, 0)).map(({ type }) => type)).toEqual([
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('an answer without any content is still a whole stream', () => {
    expect(render([]).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ]);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('finish reason %s makes the response incomplete', (reason, expected) => {
    const events = render([{ type: 'text-start' }, { type: 'text-delta', text: 'cut o' }], { ...stopped, reason });
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: expected }, completed_at: null },
    });
    expect(accumulate(events).output).toMatchObject([{ status: 'incomplete' }]);
  });
});

describe('failures', () => {
  const error = new ApiError('http_502', 'It broke.', { detail: 'secret' });

  test('are told twice, to both kinds of clients, and the numbers go on', () => {
    const renderer = rendererFor();
    const before = readEvents(
      said('a')
        .map((part) => renderer.render(part))
        .join(''),
    );
    const after = readEvents(renderer.failure(error));
    expect(after).toMatchObject([
      { type: 'error', code: '502', message: 'It broke.', error: { code: '502', message: 'It broke.' } },
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: '502', message: 'It broke.' }, usage: null },
      },
    ]);
    expect(after[0]?.sequence_number).toBe((before.at(-1)?.sequence_number ?? 0) + 1);
    expect(JSON.stringify(after)).not.toContain('secret');
  });

  // By these codes an agent ends the call or shortens its conversation; any other makes it repeat the call.
  test.each([
    ['context_too_long', 'context_length_exceeded'],
    ['insufficient_credits', 'insufficient_quota'],
    ['budget_cap_reached', 'insufficient_quota'],
    ['content_filter', 'invalid_prompt'],
    ['content_moderation', 'invalid_prompt'],
    ['unknown_4xx', 'invalid_prompt'],
    ['upstream_rate_limited', 'upstream_rate_limited'],
    ['upstream_unavailable', 'upstream_unavailable'],
  ] as const)('RESP-15 a failed response says %s as %s, and the event before it as it is', (code, expected) => {
    const events = readEvents(rendererFor().failure(new ApiError(code, 'It broke.')));
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code, error: { code } },
      { type: 'response.failed', response: { error: { code: expected, message: 'It broke.' } } },
    ]);
  });

  test('before any content begin with the opening all the same', () => {
    const types = readEvents(rendererFor().failure(error)).map(({ type }) => type);
    expect(types).toEqual(['response.created', 'response.in_progress', 'error', 'response.failed']);
  });

  test('of the model itself end in a failed response', () => {
    const events = render(said('a'), { ...stopped, reason: 'error' });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
  });
});

test('STRM-03 a keep-alive is a comment', () => {
  expect(rendererFor().keepAliveFrame).toMatch(/^: .*\n\n$/);
});

test('RESP-13 the SDK puts any answer together exactly as it was given', () => {
  const block = fc.oneof(
    fc.record({
      kind: fc.constant('text' as const),
      pieces: fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }),
    }),
    fc.record({ kind: fc.constant('call' as const), pieces: fc.array(fc.string({ unit: 'binary' })) }),
    fc.record({ kind: fc.constant('reasoning' as const), pieces: fc.array(fc.string({ unit: 'binary' })) }),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
      const parts = blocks.flatMap(({ kind, pieces }, index): StreamPart[] => {
        if (kind === 'text') return said(...pieces);
        if (kind === 'reasoning') {
          const deltas = pieces.map((text): StreamPart => ({ type: 'reasoning-delta', text }));
          return [{ type: 'reasoning-start' }, ...deltas, { type: 'reasoning-end' }];
        }
        const deltas = pieces.map((text): StreamPart => ({ type: 'tool-input-delta', index, text }));
        const start: StreamPart = { type: 'tool-input-start', index, id: `c${index}`, name: 'f' };
        return [start, ...deltas, { type: 'tool-input-end', index }];
      });
      const events = render(parts);
      const last = events.at(-1)?.response as Response;
      // The deltas add up to the text of the last event, before the last event replaces them.
      const streamed = accumulate(events.slice(0, -1));
      expect(streamed.output).toEqual(last.output);
      const texts = last.output.map((item) => {
        if (item.type === 'message')
          return item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join();
        if (item.type === 'function_call') return item.arguments;
        return item.type === 'reasoning' ? (item.summary[0]?.text ?? '') : null;
      });
      // A call without arguments gets the shortest JSON object.
      const expected = blocks.map(({ kind, pieces }) => pieces.join('') || (kind === 'call' ? '{}' : ''));
      expect(texts).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('RESP-13 citations are events before their text is done, and stand in the item', () => {
  const page = { url: 'https://a.example', title: 'A', citedText: 'Quoted.', documentIndex: null, range: null };
  const renderer = rendererFor();
  const parts: StreamPart[] = [
    { type: 'text-start' },
    { type: 'citation', citation: page },
    { type: 'text-delta', text: 'Two.' },
    { type: 'text-end' },
  ];
  const text = parts.map((part) => renderer.render(part)).join('') + renderer.finale(stopped, usage, 0.5);
  const events = readEvents(text);
  const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 4 };
  expect(events.find(({ type }) => type === 'response.output_text.annotation.added')).toMatchObject({ annotation });
  const done = events.find(({ type }) => type === 'response.output_item.done');
  expect(done).toMatchObject({ item: { content: [{ text: 'Two.', annotations: [annotation] }] } });
});
