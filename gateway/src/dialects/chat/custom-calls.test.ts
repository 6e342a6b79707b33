// An upstream of this dialect's format that was offered functions in place of tools of plain text: what it calls is
// shown as calls of those tools, whatever its habits, and everything else stays as it came.

import { expect, test, vi } from 'vitest';
import { sourcedJson } from '../../../test/json-source.ts';
import { CustomInputReader } from '../../canonical/custom-input.ts';
import { isFilled, type JsonObject } from '../../canonical/json.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { SameCallDeltas } from './custom-calls.ts';
import { parseChatRequest } from './parse-request.ts';
import { renderChatResponse } from './render-response.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

const INPUT = 'a "é"\n👩';
const ARGUMENTS = JSON.stringify({ input: INPUT });
const TOOLS = [
  { type: 'custom', custom: { name: 'patch' } },
  { type: 'function', function: { name: 'look' } },
];

const functionCall = (name: string, text: string, members: object = {}) => ({
  ...{ index: 0, id: 'c0', type: 'function', ...members },
  function: { name, arguments: text },
});
const more = (text: string, index = 0) => ({ index, function: { arguments: text } });
const calling = (...calls: object[]) => ({ tool_calls: calls });

type Chunk = { choices: [{ index: number; delta: JsonObject; finish_reason: string | null }] };

/** The chunks that a client gets of these deltas, and of a finish of each choice. */
function relay(deltas: readonly object[], { choices = 1, finish = 'tool_calls' as string | null } = {}): Chunk[] {
  const request = parseChatRequest({
    ...{ model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], tools: TOOLS },
    n: choices,
  });
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 5, request };
  const splicer = new ChatStreamSplicer(context, () => zeroUsage);
  const frame = (delta: object, index: number, finish_reason: string | null = null) => {
    const choice = { index, delta, finish_reason };
    const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] };
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  let output = '';
  for (const delta of deltas) {
    const { choice = 0, ...said } = delta as { choice?: number };
    output += splicer.push(frame(said, choice));
  }
  if (finish !== null) {
    for (let index = 0; index < choices; index += 1) output += splicer.push(frame({}, index, finish));
  }
  output += splicer.push(Buffer.from('data: {"choices":[],"usage":{"total_tokens":1}}\n\ndata: [DONE]\n\n'));
  expect([splicer.fault, splicer.isDone]).toEqual([null, true]);
  output += splicer.finale(zeroUsage, 0);
  expect(splicer.keptBytes).toBeLessThan(10_000);
  return Buffer.from(output, 'latin1')
    .toString('utf8')
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'))
    .map((text) => JSON.parse(text.slice('data: '.length)) as Chunk);
}

type CallDelta = { index?: number; type?: string; custom?: { name?: string; input: string } };

const callsIn = (chunks: readonly Chunk[], choice = 0): readonly CallDelta[] =>
  chunks.flatMap(({ choices: [said] }) =>
    said.index === choice ? ((said.delta.tool_calls as CallDelta[] | undefined) ?? []) : [],
  );
/** With the pieces of an input put together. */
function joined(deltas: readonly CallDelta[]): readonly CallDelta[] {
  const calls: CallDelta[] = [];
  for (const delta of deltas) {
    const last = calls.at(-1);
    const isMore = delta.type === undefined && last?.type === undefined && last?.index === delta.index;
    if (isMore && last?.custom !== undefined) last.custom = { input: last.custom.input + delta.custom?.input };
    else calls.push({ ...delta });
  }
  return calls;
}
const pieces = (text: string): string[] => text.match(/[\s\S]{1,2}/gu) ?? [];
const started = { index: 0, id: 'c0', type: 'custom', custom: { name: 'patch', input: '' } };
const ended = { index: 0, custom: { input: INPUT } };

test.each<[string, readonly object[]]>([
  ['in pieces', [functionCall('patch', ''), ...pieces(ARGUMENTS).map((text) => more(text))]],
  ['at once', [functionCall('patch', ARGUMENTS)]],
  ['with its name and id in each', pieces(ARGUMENTS).map((text) => functionCall('patch', text))],
  ['without an index', [{ ...functionCall('patch', ARGUMENTS), index: undefined }]],
])('arguments that come %s are the input of one call', (_how, deltas) => {
  expect(joined(callsIn(relay(deltas.map((delta) => calling(delta)))))).toEqual([started, ended]);
});

test('the input grows as the arguments come', () => {
  const deltas = [functionCall('patch', ''), ...pieces(ARGUMENTS).map((text) => more(text))];
  expect(callsIn(relay(deltas.map((delta) => calling(delta)))).length).toBeGreaterThan(4);
});

test('a client gets no chunks that say nothing, and text, thinking and functions as they came', () => {
  const functionDeltas = [functionCall('look', '', { index: 1, id: 'c1' }), more('{"at":', 1), more('"é"}', 1)];
  const deltas = [
    { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    { content: 'I' },
    { content: ' mend it.' },
    calling(functionCall('patch', '')),
    ...pieces(ARGUMENTS).map((text) => ({ role: 'assistant', content: null, ...calling(more(text)) })),
    ...functionDeltas.map((delta) => calling(delta)),
    { content: ' So.' },
  ];
  const chunks = relay(deltas);
  const isInput = ({ tool_calls: calls }: JsonObject) =>
    Array.isArray(calls) && isFilled(calls[0].custom?.input) && calls[0].type === undefined;
  expect(chunks.map(({ choices: [{ delta }] }) => delta).filter((delta) => !isInput(delta))).toEqual([
    ...deltas.slice(0, 3),
    calling(started),
    ...functionDeltas.map((delta) => calling(delta)),
    { content: ' So.' },
    {},
  ]);
  const inputs = callsIn(chunks).flatMap(({ type, custom }) => (type === undefined ? [custom?.input ?? ''] : []));
  expect(inputs.join('')).toBe(INPUT);
  expect(chunks.at(-1)?.choices[0].finish_reason).toBe('tool_calls');
});

test('an index that is used again is another call', () => {
  const again = functionCall('look', '{}', { id: 'c1' });
  const calls = callsIn(relay([calling(functionCall('patch', ARGUMENTS)), calling(again)]));
  expect(calls).toEqual([started, ended, { ...again, index: 1 }]);
});

test('each of several choices has its own calls', () => {
  const other = JSON.stringify({ input: 'other' });
  const chunks = relay(
    [
      calling(functionCall('patch', ARGUMENTS.slice(0, 4))),
      { choice: 1, ...calling(functionCall('patch', other.slice(0, 5))) },
      calling(more(ARGUMENTS.slice(4))),
      { choice: 1, ...calling(more(other.slice(5))) },
    ],
    { choices: 2 },
  );
  expect(joined(callsIn(chunks, 0))).toEqual([started, ended]);
  expect(callsIn(chunks, 1)).toEqual([started, { index: 0, custom: { input: 'other' } }]);
});

test('a stream that ends without a finish has the whole input too', () => {
  expect(callsIn(relay([calling(functionCall('patch', ARGUMENTS))], { finish: null }))).toEqual([started, ended]);
});

test('calls of an upstream that has such tools pass as they came', () => {
  const native = [started, { index: 0, custom: { input: 'a' } }, { index: 0, custom: { input: 'b' } }];
  expect(callsIn(relay(native.map((delta) => calling(delta))))).toEqual(native);
});

test('a whole answer has them likewise, whether or not the arguments are text', () => {
  const calls = [
    functionCall('patch', ARGUMENTS, { extra: 1 }),
    functionCall('look', '{}'),
    { id: 'c2', type: 'function', function: { name: 'patch', arguments: { input: INPUT } } },
  ];
  const message = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: calls };
  const json = { created: 1, choices: [{ index: 0, finish_reason: 'tool_calls', message }] };
  const rendering = { id: 'gen-1', modelId: 'acme/one', usage: zeroUsage, costUsd: 0, hidesReasoning: false };
  const customNames = new Set(['patch']);
  const rendered = JSON.parse(String(renderChatResponse(sourcedJson(json), { ...rendering, customNames })));
  const custom = { name: 'patch', input: INPUT };
  expect(rendered.choices[0].message).toEqual({
    ...message,
    tool_calls: [
      { index: 0, id: 'c0', type: 'custom', extra: 1, custom },
      calls[1],
      { id: 'c2', type: 'custom', custom },
    ],
  });
});

test('what waits is known without a look at every open call, and is gone with the calls', () => {
  const looks = vi.spyOn(CustomInputReader.prototype, 'keptLength', 'get');
  const deltas = new SameCallDeltas(new Set(['patch']));
  for (let choice = 0; choice < 200; choice += 1) {
    deltas.render([functionCall('patch', '{"in'), more('put')], choice);
    expect(deltas.keptLength).toBe(7 * (choice + 1));
  }
  expect(looks.mock.calls.length).toBeLessThan(2_000);
  looks.mockRestore();
  for (let choice = 0; choice < 200; choice += 1) deltas.end(choice);
  expect(deltas.keptLength).toBe(0);
});
