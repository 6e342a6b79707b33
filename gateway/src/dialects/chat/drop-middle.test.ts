// A chat body is split into turns and joined again; the original body is never changed.

import { expect, test } from 'vitest';
import { readChatTurns } from './drop-middle.ts';

const body = Object.freeze({
  model: 'm/1',
  messages: Object.freeze([
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Find it.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a' }, { id: 'b' }] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
    { role: 'tool', tool_call_id: 'b', content: 'y' },
  ]),
  tools: [{ type: 'function', function: { name: 'f' } }],
  unknown: 7,
});

test('ROUTE-24 messages are turns with their roles and the calls between them', () => {
  const { list, frame } = readChatTurns(body);
  expect(list.map(({ role, calls, answers }) => [role, calls, answers])).toEqual([
    ['system', [], []],
    ['user', [], []],
    ['assistant', ['a', 'b'], []],
    ['tool', [], ['a']],
    ['tool', [], ['b']],
  ]);
  expect(frame).toContain(body.tools);
});

test('ROUTE-24 the rest of the body stays as it was', () => {
  const { keep } = readChatTurns(body);
  expect(keep(new Set([4, 1]))).toEqual({ ...body, messages: [body.messages[1], body.messages[4]] });
  expect(body.messages).toHaveLength(5);
});
