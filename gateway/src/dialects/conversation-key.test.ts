// The same conversation has the same key at every turn and in every dialect's shape; another one has another.

import { expect, test } from 'vitest';
import { conversationKey } from './conversation-key.ts';

const system = { role: 'system', content: 'Be brief.' };
const first = { role: 'user', content: 'Hello.' };
const later = [
  { role: 'assistant', content: 'Hi.' },
  { role: 'user', content: 'And now?' },
];

test('ROUTE-16 a conversation keeps its key as it grows', () => {
  const begun = conversationKey({ messages: [system, first] });
  expect(conversationKey({ messages: [system, first, ...later] })).toEqual(begun);
  expect(conversationKey({ messages: [system, { role: 'user', content: 'Other.' }] })).not.toEqual(begun);
  expect(conversationKey({ messages: [first] })).not.toEqual(begun);
});

test('ROUTE-16 instructions count in every dialect, cache markers do not', () => {
  const block = (marked: object) => [{ type: 'text', text: 'Be brief.', ...marked }];
  const plain = conversationKey({ system: block({}), messages: [first] });
  expect(conversationKey({ system: block({ cache_control: { type: 'ephemeral' } }), messages: [first] })).toEqual(
    plain,
  );
  expect(conversationKey({ system: 'Be long.', messages: [first] })).not.toEqual(plain);
  expect(conversationKey({ instructions: 'a', input: 'Hello.' })).not.toEqual(conversationKey({ input: 'Hello.' }));
});

test('ROUTE-16 a session that the client names wins over how it began', () => {
  const one = conversationKey({ session_id: 's1', messages: [first] });
  expect(one.isSession).toBe(true);
  expect(conversationKey({ session_id: 's1', messages: later })).toEqual(one);
  expect(conversationKey({ prompt_cache_key: 's1', input: 'x' })).toEqual(one);
  expect(conversationKey({ session_id: 's2', messages: [first] })).not.toEqual(one);
  expect(conversationKey({ session_id: 5, messages: [first] }).isSession).toBe(false);
});

test('ROUTE-16 long instructions that many conversations share do not hide who said what', () => {
  const long = 'Rules. '.repeat(5_000);
  const begun = (text: string) => conversationKey({ system: long, messages: [{ role: 'user', content: text }] });
  expect(begun('one')).not.toEqual(begun('two'));
});

test('a prompt of any size, and one that is nested for ever, are read only as far as it takes', () => {
  const long = (end: string) =>
    conversationKey({ messages: [{ role: 'user', content: `${'x'.repeat(5_000)}${end}` }] });
  expect(long('a')).toEqual(long('b'));
  let nested: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  expect(conversationKey({ messages: [{ role: 'user', content: nested }] }).isSession).toBe(false);
});
