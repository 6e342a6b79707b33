// A Messages body is split into turns and joined again; the original body is never changed.

import { expect, test } from 'vitest';
import { readMessagesTurns } from './drop-middle.ts';

const body = Object.freeze({
  model: 'm/1',
  max_tokens: 10,
  system: 'Be brief.',
  messages: Object.freeze([
    { role: 'user', content: 'Find it.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    { role: 'system', content: 'A reminder.' },
    { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
  ]),
  tools: [{ name: 'f', input_schema: {} }],
});

test('ROUTE-24 results of tools are not the word of the user', () => {
  const { list, frame } = readMessagesTurns(body);
  expect(list.map(({ role, calls, answers }) => [role, calls, answers])).toEqual([
    ['user', [], []],
    ['assistant', ['a'], []],
    ['tool', [], ['a']],
    ['system', [], []],
    ['user', [], []],
  ]);
  expect(frame).toEqual(expect.arrayContaining([body.system, body.tools]));
});

test('ROUTE-24 the rest of the body stays as it was', () => {
  const { keep } = readMessagesTurns(body);
  expect(keep(new Set([0, 4]))).toEqual({ ...body, messages: [body.messages[0], body.messages[4]] });
  expect(body.messages).toHaveLength(5);
});
