// Guarantees: however the bytes are split, the client sees the same events; only the response's id, model and usage
// differ from the upstream's; neither the last item nor the response is closed before `finale`.

import { readFileSync } from 'node:fs';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseResponsesRequest } from './parse-request.ts';
import { REPEATED } from './render-response.ts';
import { ResponsesStreamSplicer } from './splice-stream.ts';

const read = (name: string) => readFileSync(new URL(`./__fixtures__/${name}.txt`, import.meta.url));
const recorded = read('reasoning-and-text');
const calls = read('interleaved-calls');

type Event = JsonObject & { type: string };

function splicerFor(): ResponsesStreamSplicer {
  const request = parseResponsesRequest({ model: 'acme/x', input: 'Hi' });
  const readUsage = (value: unknown): Usage | null =>
    isJsonObject(value) ? { ...zeroUsage, promptTokens: Number(value.input_tokens) } : null;
  return new ResponsesStreamSplicer({ id: 'gen-1', modelId: 'acme/x', createdSeconds: 5, request }, readUsage);
}

function readEvents(latin1: string): Event[] {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) });
  parser.feed(Buffer.from(latin1, 'latin1').toString('utf8'));
  return events;
}

function pushAll(pieces: readonly Buffer[]): { output: string; splicer: ResponsesStreamSplicer } {
  const splicer = splicerFor();
  let output = '';
  for (const piece of pieces) output += splicer.push(piece);
  return { output: output + splicer.end(), splicer };
}

const finale = (splicer: ResponsesStreamSplicer) => splicer.finale({ ...zeroUsage, promptTokens: 36 }, 0.5);

const event = (type: string, members: JsonObject): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);

test('RESP-13 RESP-15 what a provider leaves out of an item is added where the item ends', () => {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'é' }] };
  const call = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
  const { output, splicer } = pushAll([
    event('response.output_item.done', { sequence_number: 0, output_index: 0, item }),
    event('response.output_item.done', { sequence_number: 1, output_index: 1, item: call }),
    event('response.completed', { sequence_number: 2, response: { status: 'completed', output: [item, call] } }),
  ]);
  const [first, second, last] = readEvents(output + finale(splicer));
  const items = [
    { ...item, content: [{ type: 'output_text', text: 'é', annotations: [] }] },
    { ...call, id: 'fc_gen_1_1', status: 'completed' },
  ];
  expect([first?.item, second?.item]).toEqual(items);
  expect(last?.response).toMatchObject({ output: items });
});

describe('RESP-15 a recorded stream', () => {
  test.each([
    ['thinking and text', recorded],
    ['calls side by side', calls],
  ])('of %s differs in id, model and usage alone', (_, bytes) => {
    const { output, splicer } = pushAll([bytes]);
    const events = readEvents(output + finale(splicer));
    const expected = readEvents(bytes.toString('latin1')).map((sent) => {
      if (!isJsonObject(sent.response)) return sent;
      const usage = sent.type === 'response.completed' ? expect.objectContaining({ cost: 0.5 }) : null;
      return { ...sent, response: { ...REPEATED, ...sent.response, id: 'resp_gen-1', model: 'acme/x', usage } };
    });
    expect(events).toEqual(expected);
    expect(splicer).toMatchObject({ isDone: true, hasFinished: true, hasUsage: true, fault: null });
  });

  test('everything but the events with a response leaves byte for byte', () => {
    const { output, splicer } = pushAll([recorded]);
    const text = output + finale(splicer);
    for (const frame of recorded.toString('latin1').split('\n\n')) {
      if (frame !== '' && !frame.includes('"response":{')) expect(text).toContain(`${frame}\n\n`);
    }
  });

  // Pieces of each length from each start: the stream is cut at every offset, many times.
  test.each([1, 7, 61, 241])('is the same whatever the split, at every offset: pieces of %i bytes', (length) => {
    const whole = pushAll([recorded]);
    for (let start = 1; start <= length; start += 1) {
      const pieces = [recorded.subarray(0, start)];
      for (let from = start; from < recorded.length; from += length)
        pieces.push(recorded.subarray(from, from + length));
      const { output, splicer } = pushAll(pieces);
      if (output !== whole.output || finale(splicer) !== finale(whole.splicer)) throw new Error(`from ${start}`);
      expect([splicer.frameCount, splicer.contentBytes]).toEqual([
        whole.splicer.frameCount,
        whole.splicer.contentBytes,
      ]);
    }
  });

  test('is the same with any line ends and any cuts', () => {
    const whole = pushAll([calls]);
    fc.assert(
      fc.property(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat({ max: calls.length - 1 }), { maxLength: 12 }),
        (newline, cuts) => {
          const bytes = Buffer.from(calls.toString('latin1').replaceAll('\n', newline), 'latin1');
          const offsets = [0, ...cuts.sort((left, right) => left - right), bytes.length];
          const pieces = offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
          const { output, splicer } = pushAll(pieces);
          expect(output + finale(splicer)).toBe(whole.output + finale(whole.splicer));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('reports why it ended, what was used and how much was said', () => {
    const { splicer } = pushAll([recorded]);
    expect(splicer.finishReason).toBe('stop');
    expect(splicer.usage?.promptTokens).toBe(36);
    expect(splicer.frameCount).toBe(10);
    const said = Buffer.byteLength('**Grüße überlegen**\\n\\nIch sage „Hallo“.Grüß dich, 世界! 👋');
    expect(splicer.contentBytes).toBe(said);
    expect(pushAll([calls]).splicer.finishReason).toBe('tool_calls');
    const item = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'x' };
    const custom = event('response.output_item.done', { output_index: 0, item });
    const end = event('response.completed', { response: { status: 'completed', output: [item] } });
    expect(pushAll([Buffer.concat([custom, end])]).splicer.finishReason).toBe('tool_calls');
  });
});

describe('STRM-04 the ending waits for the finale', () => {
  test('the last item and the response are closed only then', () => {
    const { output, splicer } = pushAll([recorded]);
    const before = readEvents(output).map(({ type }) => type);
    expect(before.at(-1)).toBe('response.content_part.done');
    expect(before.filter((type) => type === 'response.output_item.done')).toHaveLength(1);
    expect(readEvents(finale(splicer)).map(({ type }) => type)).toEqual([
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('events after the last item wait with it', () => {
    const splicer = splicerFor();
    splicer.push(event('response.output_item.done', { output_index: 0, item: { type: 'message' } }));
    expect(splicer.push(event('response.new_kind', { x: 1 }))).toBe('');
    expect(
      readEvents(splicer.push(event('response.output_text.delta', { delta: 'x' }))).map(({ type }) => type),
    ).toEqual(['response.output_item.done', 'response.new_kind', 'response.output_text.delta']);
  });

  test('an incomplete response says by what', () => {
    const incomplete = (reason: string) => {
      const response = { status: 'incomplete', incomplete_details: { reason }, output: [], usage: {} };
      return pushAll([event('response.incomplete', { response })]).splicer.finishReason;
    };
    expect(incomplete('max_output_tokens')).toBe('length');
    expect(incomplete('content_filter')).toBe('content_filter');
  });
});

describe('what an upstream may do wrong', () => {
  const started = event('response.created', { sequence_number: 0, response: { status: 'in_progress', output: [] } });
  const completed = (response: unknown) => event('response.completed', { sequence_number: 9, response });

  test.each([
    ['not JSON', Buffer.from('event: response.output_text.delta\ndata: ["broken\n\n'), 'malformed'],
    ['JSON that is no object', Buffer.from('data: [1]\n\n'), 'malformed'],
    ['an end mark before the end', Buffer.from('data: [DONE]\n\n'), 'malformed'],
    ['a last event without a response', completed(null), 'malformed'],
    [
      'a response that failed',
      event('response.failed', { response: { error: { code: 'server_error' } } }),
      'upstream-error',
    ],
    ['an error event', event('error', { code: 'x', message: 'secret' }), 'upstream-error'],
    ['an error without a type', Buffer.from('data: {"error":{"code":500}}\n\n'), 'upstream-error'],
    ['an endless line', Buffer.alloc(9 * 1024 * 1024, 'x'), 'oversize'],
  ])('%s becomes a fault', (_, bytes, kind) => {
    const { splicer } = pushAll([started, bytes]);
    expect(splicer.fault?.kind).toBe(kind);
    expect(splicer.isDone).toBe(false);
  });

  const delta = (members: JsonObject) =>
    event('response.output_text.delta', { output_index: 0, delta: 'Hi', ...members });

  test('STRM-08 an error beside an event is a fault, except beside the end of what was said', () => {
    const error = { code: 503, message: 'sk-secret' };
    const broken = pushAll([started, delta({}), delta({ error })]);
    expect(broken.splicer.fault).toMatchObject({ kind: 'upstream-error', status: 503 });
    expect(broken.output).not.toContain('sk-secret');
    const end = event('response.completed', { error, response: { status: 'completed', output: [], error } });
    expect(pushAll([started, end]).splicer.fault).toMatchObject({ status: 503 });
    const { output, splicer } = pushAll([started, delta({}), end]);
    expect(splicer).toMatchObject({ isDone: true, fault: null });
    expect(output + finale(splicer)).not.toContain('sk-secret');
  });

  test.each([{}, '', false])('STRM-08 an error that says nothing, %j, is taken out of an event', (error) => {
    const { output, splicer } = pushAll([started, delta({ error }), delta({ error })]);
    expect([splicer.fault, readEvents(output).map(({ delta: text }) => text)]).toEqual([null, [undefined, 'Hi', 'Hi']]);
    expect(output).not.toContain('"error":{}');
  });

  test.each([
    ['context_length_exceeded', 400],
    ['failed_to_download_image', 400],
    ['rate_limit_exceeded', 429],
    ['server_error', null],
    [503, 503],
  ])('ROUTE-12 a response that failed with %s states %s', (code, status) => {
    const failed = event('response.failed', { response: { error: { code, message: 'x' } } });
    expect(pushAll([started, failed]).splicer.fault?.status).toBe(status);
  });

  test('events without end after an item was closed become a fault', () => {
    const closed = event('response.output_item.done', { output_index: 0, item: { type: 'message' } });
    const noise = event('response.output_text.done', { output_index: 0, text: 'x'.repeat(1024 * 1024) });
    expect(pushAll([started, closed, ...Array.from({ length: 8 }, () => noise)]).splicer.fault).toBeNull();
    expect(pushAll([started, closed, ...Array.from({ length: 20 }, () => noise)]).splicer.fault?.kind).toBe('oversize');
  });

  test('nesting without end becomes a fault', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const completed = (levels: number) =>
      Buffer.from(`data: {"type":"response.completed","response":{"y":"[\\"[","output":[],"x":${deep(levels)}}}\n\n`);
    expect(pushAll([completed(1_000_000)]).splicer.fault?.kind).toBe('malformed');
    expect(pushAll([completed(127)]).splicer.fault?.kind).toBe('malformed');
    expect(pushAll([completed(126)]).splicer).toMatchObject({ fault: null, isDone: true });
  });

  test('a rate limit keeps its status', () => {
    const bytes = event('response.failed', { response: { error: { code: 'rate_limit_exceeded' } } });
    expect(pushAll([bytes]).splicer.fault?.status).toBe(429);
  });

  test('STRM-03 named heartbeats, comments and events without a type never reach the client', () => {
    const noise = ': keep-alive\n\nevent: heartbeat\ndata: {}\n\nevent: keepalive\ndata: {"type":"keepalive"}\n\n';
    expect(pushAll([Buffer.from(noise)]).output).toBe('');
    const forged = event('x', { type: 'response.x\ndata: {"type":"response.completed"}', response: {} });
    expect(pushAll([forged]).output).toBe('');
  });

  test('a stream that ends without its last event has not finished', () => {
    const { splicer } = pushAll([recorded.subarray(0, 4_000)]);
    expect(splicer).toMatchObject({ isDone: false, hasFinished: false, hasUsage: false });
  });

  test('a last event without its blank line still counts', () => {
    const { splicer } = pushAll([recorded.subarray(0, recorded.length - 2)]);
    expect(splicer).toMatchObject({ isDone: true, hasFinished: true });
  });

  test('usage that is none, or absurd members, do no harm', () => {
    for (const usage of [undefined, null, 5, { input_tokens: -1 }]) {
      const { splicer } = pushAll([completed({ id: 5, model: [], output: 'x', usage })]);
      expect(splicer.isDone).toBe(true);
      const [last] = readEvents(finale(splicer));
      expect(last?.response).toMatchObject({ id: 'resp_gen-1', model: 'acme/x', output: [] });
    }
  });

  test('any bytes at all are survived', () => {
    const line = fc.constantFrom(
      ...['event: response.output_text.delta', 'data: {"type":"response.output_text.delta","delta":"x"}', 'data: {}'],
      ...['data: {"type":"response.output_item.done","item":5}', 'data: {"type":"response.completed"}', ': x', '', ''],
      ...['data: {"type":"response.created","response":{"id":1}}', 'data: nonsense', 'event: response.completed'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string({ unit: 'binary' }))), (lines) => {
        const { splicer } = pushAll([Buffer.from(lines.join('\n'))]);
        readEvents(finale(splicer));
        readEvents(splicer.failure(new ApiError('http_502', 'It broke.')));
      }),
      { numRuns: 500 },
    );
  });
});

test('a failure continues the numbers, in both forms, without a character that latin1 lacks', () => {
  const { splicer } = pushAll([recorded.subarray(0, 6_000)]);
  const text = splicer.failure(new ApiError('upstream_unavailable', 'Ende – 世界'));
  const [error, failed] = readEvents(text);
  const last = /"sequence_number":(\d+)/.exec(
    pushAll([recorded.subarray(0, 6_000)])
      .output.split('event: ')
      .at(-1) ?? '',
  );
  expect(error).toMatchObject({ type: 'error', code: 'upstream_unavailable', sequence_number: Number(last?.[1]) + 1 });
  expect(failed).toMatchObject({
    type: 'response.failed',
    sequence_number: Number(last?.[1]) + 2,
    response: { id: 'resp_gen-1', status: 'failed', error: { message: 'Ende – 世界' } },
  });
});
