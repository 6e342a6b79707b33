// Whatever an upstream of this dialect's format forgets about its tool calls, a client can follow them: by index in a
// stream, and by id and arguments in a whole answer. Calls that are complete reach it as they came.

import { describe, expect, test, vi } from 'vitest';
import { sourcedJson } from '../../../test/json-source.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { newTimedId } from '../../platform/ids.ts';
import { parseChatRequest } from './parse-request.ts';
import { renderChatResponse } from './render-response.ts';
import { ChatStreamSplicer } from './splice-stream.ts';
import { TidyCallDeltas, tidyCalls } from './tidy-calls.ts';

const TOOLS = [{ type: 'function', function: { name: 'look' } }];

type Call = { index: number; id?: string; type?: string; function: { name?: string; arguments: string } };

const call = (members: object, callee: object): object => ({ ...members, function: callee });
const begin = { index: 0, id: 'c0', type: 'function' };
const written = (text: unknown): object => ({ name: 'look', arguments: text });
const piece = (text: unknown, members: object = { index: 0 }): object => call(members, { arguments: text });

type Relayed = { calls: Call[]; finish: unknown };

function relay(
  deltas: readonly object[],
  finish: string | null = 'tool_calls',
  last = {},
  tools: object[] | null = TOOLS,
): Relayed {
  const body = { model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], tools };
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 5, request: parseChatRequest(body) };
  const splicer = new ChatStreamSplicer(context, () => zeroUsage);
  const frame = (delta: object, reason: string | null = null): Buffer => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices };
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  // Text comes first, so that frames which need no reading are not read.
  const texts = [{ role: 'assistant', content: 'I' }, { content: ' look' }, { content: '.' }];
  let output = '';
  for (const delta of [...texts, ...deltas]) {
    output += splicer.push('finish' in delta ? frame({}, String(delta.finish)) : frame(delta));
  }
  if (finish !== null) output += splicer.push(frame(last, finish));
  output += splicer.push(Buffer.from('data: {"choices":[],"usage":{"total_tokens":1}}\n\ndata: [DONE]\n\n'));
  output += splicer.finale(zeroUsage, 0);
  const chunks = output
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'))
    .map((text) => JSON.parse(text.slice('data: '.length)));
  const choices = chunks.flatMap((chunk) => chunk.choices as JsonObject[]);
  const calls = choices.flatMap(({ delta }) => ((delta as JsonObject).tool_calls ?? []) as Call[]);
  return { calls, finish: choices.at(-1)?.finish_reason };
}

/** As a client does it: what has the same index is one call. */
function joined(calls: readonly Call[]): readonly JsonObject[] {
  const byIndex = new Map<number, { id: unknown; type: unknown; name: unknown; text: string }>();
  for (const { index, id, type, function: callee } of calls) {
    expect(Number.isInteger(index)).toBe(true);
    const known = byIndex.get(index);
    if (known === undefined) byIndex.set(index, { id, type, name: callee.name, text: callee.arguments ?? '' });
    else known.text += callee.arguments ?? '';
  }
  return [...byIndex.values()];
}

describe('TOOL-08 the pieces of a call in a stream have its index', () => {
  const one = (id: unknown, text: string): JsonObject => ({ id, type: 'function', name: 'look', text });

  test.each<[string, readonly object[], readonly JsonObject[]]>([
    ['complete', [call(begin, written('')), piece('{"at"'), piece(':1}')], [one('c0', '{"at":1}')]],
    ['without a type', [call({ index: 0, id: 'c0' }, written('{')), piece('}')], [one('c0', '{}')]],
    ['without an id', [call({ index: 0, type: 'function' }, written('{')), piece('}')], [one('call_gen1_0', '{}')]],
    [
      'without indexes',
      [call({ id: 'c0' }, written('{')), piece('}', {}), call({ id: 'c1' }, written('{"b"')), piece(':2}', {})],
      [one('c0', '{}'), one('c1', '{"b":2}')],
    ],
    [
      'without indexes, with the id in each',
      [call({ id: 'c0' }, written('{')), call({ id: 'c0' }, written('}')), call({ id: 'c1' }, written('{}'))],
      [one('c0', '{}'), one('c1', '{}')],
    ],
    [
      'with one index for all',
      [call(begin, written('{')), piece('}'), call({ ...begin, id: 'c1' }, written('{"b"')), piece(':2}')],
      [one('c0', '{}'), one('c1', '{"b":2}')],
    ],
    ['as an object', [call(begin, written({ at: 'é' }))], [one('c0', '{"at":"é"}')]],
    [
      'one after the other',
      [call(begin, written('')), piece('{}'), call({ ...begin, index: 1, id: 'c1' }, written('{}'))],
      [one('c0', '{}'), one('c1', '{}')],
    ],
  ])('%s', (_how, deltas, expected) => {
    const relayed = relay(deltas.map((delta) => ({ tool_calls: [delta] })));
    expect(JSON.parse(Buffer.from(JSON.stringify(joined(relayed.calls)), 'latin1').toString('utf8'))).toEqual(expected);
    expect(relayed.finish).toBe('tool_calls');
  });

  test('two calls of one delta are two', () => {
    const { calls } = relay([{ tool_calls: [call({ id: 'c0' }, written('{}')), call({ id: 'c1' }, written('{}'))] }]);
    expect(calls.map(({ index, id }) => [index, id])).toEqual([
      [0, 'c0'],
      [1, 'c1'],
    ]);
  });

  test('of calls without end the first thousand are remembered', () => {
    const endless = Array.from({ length: 1_001 }, (_, at) => ({ tool_calls: [call({ id: `c${at}` }, written('{}'))] }));
    const { calls } = relay(endless);
    expect(calls.slice(-2).map(({ index, id }) => [index, id])).toEqual([
      [999, 'c999'],
      [undefined, 'c1000'],
    ]);
  });

  test('complete calls are passed on as they came', () => {
    const deltas = [call(begin, written('')), piece('{"at"'), piece(':1}')];
    expect(relay(deltas.map((delta) => ({ tool_calls: [delta] }))).calls).toEqual(deltas);
  });
});

test('an upstream that calls for ever more choices makes no more work with each of them', () => {
  const looks = vi.spyOn(TidyCallDeltas.prototype, 'mustRead', 'get');
  const body = { model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], tools: TOOLS };
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 5, request: parseChatRequest(body) };
  const splicer = new ChatStreamSplicer(context, () => zeroUsage);
  for (let index = 0; index < 200; index += 1) {
    const choices = [{ index, delta: { tool_calls: [call(begin, written('{}'))] }, finish_reason: null }];
    splicer.push(Buffer.from(`data: ${JSON.stringify({ choices })}\n\n`));
  }
  expect(looks.mock.calls.length).toBeLessThan(1_000);
  looks.mockRestore();
});

describe('TOOL-06 TOOL-08 arguments that never come are empty ones at the end of a stream', () => {
  const other = call({ index: 1, id: 'c1', type: 'function' }, { name: 'look' });
  const textsOf = (...given: Parameters<typeof relay>): unknown[] =>
    joined(relay(...given).calls).map(({ text }) => text);
  const deltas = (...calls: object[]): object[] => calls.map((it) => ({ tool_calls: [it] }));

  test.each<[string, object[], string[]]>([
    ['empty ones', [call(begin, written(''))], ['{}']],
    ['none', [call(begin, { name: 'look' })], ['{}']],
    ['none of another call', [call(begin, written('')), other, piece('{"at"'), piece(':1}')], ['{"at":1}', '{}']],
    ['late ones', [call(begin, written('')), piece(''), piece('{"at"'), piece(':1}')], ['{"at":1}']],
  ])('%s', (_what, calls, expected) => {
    expect(textsOf(deltas(...calls))).toEqual(expected);
    expect(textsOf(deltas(...calls), 'stop')).toEqual(expected);
  });

  test('also of a call in the last delta', () => {
    expect(textsOf(deltas(call(begin, written('{"at":1}'))), 'stop', { tool_calls: [other] })).toEqual([
      '{"at":1}',
      '{}',
    ]);
  });

  test.each<[string, object, string[]]>([
    ['once, where the finish is stated again', { content: '' }, ['{}']],
    ['not where they come after a first finish', { tool_calls: [piece('{"at":1}')] }, ['{"at":1}']],
  ])('%s', (_when, last, expected) => {
    const calls = deltas(call(begin, written('')));
    expect(textsOf([...calls, { finish: 'tool_calls' }], 'tool_calls', last)).toEqual(expected);
    expect(textsOf([...calls, { finish: 'stop' }], 'stop', last)).toEqual(expected);
  });

  test('also where the upstream states no finish, which is that of calls', () => {
    const relayed = relay(deltas(call(begin, written(''))), null);
    expect([joined(relayed.calls).map(({ text }) => text), relayed.finish]).toEqual([['{}'], 'tool_calls']);
  });

  test('the input of a tool of plain text may be empty', () => {
    const custom = [{ type: 'custom', custom: { name: 'look' } }];
    const { calls } = relay(deltas(call(begin, written(''))), 'tool_calls', {}, custom);
    expect(calls).toMatchObject([{ type: 'custom', custom: { name: 'look', input: '' } }]);
  });

  test('a call that was cut off stays as it is, and so does one of a tool that was not offered', () => {
    expect(textsOf(deltas(call(begin, written(''))), 'length')).toEqual(['']);
    const unread = deltas(call(begin, written('')), piece('{"at"'), piece(':1}'));
    expect(textsOf(unread, 'tool_calls', {}, null)).toEqual(['{"at":1}']);
  });
});

describe('TOOL-06 the calls of a whole answer have an id, a type and arguments in JSON', () => {
  const rendering = { id: 'gen-1', modelId: 'acme/one', usage: zeroUsage, costUsd: 0, hidesReasoning: false };
  const callsOf = (calls: readonly object[], index = 0): unknown => {
    const message = { role: 'assistant', content: null, tool_calls: calls };
    const json = { created: 1_700_000_000, choices: [{ index, message, finish_reason: 'tool_calls' }] };
    return JSON.parse(String(renderChatResponse(sourcedJson(json), rendering))).choices[0].message.tool_calls;
  };
  const whole = (id: string, text: string): object => call({ id, type: 'function' }, written(text));

  test.each<[string, object, object]>([
    ['complete', whole('c0', '{"at":1}'), whole('c0', '{"at":1}')],
    ['without an id', call({ type: 'function' }, written('{}')), whole('call_gen1_0', '{}')],
    ['with an empty id', call({ id: '', type: 'function' }, written('{}')), whole('call_gen1_0', '{}')],
    ['without a type', call({ id: 'c0' }, written('{}')), whole('c0', '{}')],
    ['arguments as an object', call({ id: 'c0', type: 'function' }, written({ at: 1 })), whole('c0', '{"at":1}')],
    ['no arguments', call({ id: 'c0', type: 'function' }, written(null)), whole('c0', '{}')],
    ['empty arguments', call({ id: 'c0', type: 'function' }, written('')), whole('c0', '{}')],
  ])('%s', (_how, sent, expected) => {
    expect(callsOf([sent])).toEqual([expected]);
  });

  test('large integers in an object stay exact', () => {
    const parsed = call({ id: 'c0', type: 'function' }, written({ at: 2n ** 60n }));
    expect(tidyCalls([parsed], 'gen-1')).toEqual([whole('c0', '{"at":1152921504606846976}')]);
  });

  test('an id that is made is no longer than vendors take back', () => {
    const rendered = tidyCalls([call({}, written('{}'))], newTimedId('gen', 1_800_000_000_000)) as Call[];
    expect(rendered[0]?.id).toMatch(/^call_[0-9a-f]{24}_0$/);
  });

  test('ids that are made differ from call to call and from choice to choice', () => {
    const nameless = call({}, written('{}'));
    const ids = [...(callsOf([nameless, nameless]) as Call[]), ...(callsOf([nameless], 1) as Call[])].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(3);
  });
});
