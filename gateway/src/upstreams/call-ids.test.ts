// Ids that are used again, by servers that number the calls of each answer from the beginning.

import { expect, test } from 'vitest';
import type { Message } from '../canonical/conversation.ts';
import { DistinctIds, fitCallIds } from './call-ids.ts';

const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: 'tide', argumentsText: '{}' })),
});
const results = (...ids: readonly string[]): Message => ({
  role: 'tool',
  parts: ids.map((callId) => ({ type: 'tool-result', callId, content: [], isError: false })),
});
const idsOf = (messages: readonly Message[]): readonly string[][] =>
  messages.map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? part.id : part.type === 'tool-result' ? part.callId : [])),
  );

test('TOOL-07 an id that comes again is another one, and results follow their calls', () => {
  const messages = [
    ...[calls('call_0', 'call_1'), results('call_1', 'call_0')],
    ...[calls('call_0', 'call_0'), results('call_0', 'call_0')],
    // Nobody has answered the first of these.
    ...[calls('call_1'), calls('call_1'), results('call_1')],
  ];
  expect(idsOf(fitCallIds(messages, (id) => id))).toEqual([
    ...[
      ['call_0', 'call_1'],
      ['call_1', 'call_0'],
    ],
    ...[
      ['call_0_2', 'call_0_3'],
      ['call_0_2', 'call_0_3'],
    ],
    ...[['call_1_2'], ['call_1_3'], ['call_1_3']],
  ]);
});

test('ids that become the same stay apart, and an answer to nothing keeps its id', () => {
  const ids = new DistinctIds((id) => id.replaceAll('.', '_'));
  ids.nextTurn();
  expect([ids.call('a_b'), ids.call('a.b'), ids.result('a.b'), ids.result('a_b'), ids.result('c.d')]).toEqual([
    ...['a_b', 'a_b_2', 'a_b_2', 'a_b', 'c_d'],
  ]);
});

test('ten thousand calls of one id are told apart without trying all numbers', () => {
  const ids = new DistinctIds((id) => id);
  const given = new Set<string>();
  for (let turn = 0; turn < 10_000; turn += 1) {
    ids.nextTurn();
    const id = ids.call('call_0');
    expect(ids.result('call_0')).toBe(id);
    given.add(id);
  }
  expect(given.size).toBe(10_000);
});
