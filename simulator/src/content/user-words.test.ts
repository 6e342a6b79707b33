// A coding agent wraps the user's words in its own; only the user's words decide the answer.

import { expect, test } from 'vitest';
import { userWords } from './user-words.ts';

test.each([
  ['Say hello.', 'Say hello.'],
  ['<system-reminder>Use the Bash tool with care.</system-reminder>\n\nSay hello.', 'Say hello.'],
  ['Say hello.\n\n<system>\nYou have an Agent.\n</system>', 'Say hello.'],
  ['<environment_context>\n <cwd>/a</cwd>\n</environment_context>Go <b>on</b>', 'Go <b>on</b>'],
  ['a <x_y>1</x_y> b <x_y>2</x_y> c', 'a  b  c'],
  ['<system-reminder>never closed', '<system-reminder>never closed'],
  ['<task_note>all there is</task_note>', '<task_note>all there is</task_note>'],
])('%j is %j', (text, words) => {
  expect(userWords(text)).toBe(words);
});

test('behind a long row of tags that never end nothing is looked for, however long the row', () => {
  const reminder = '<c_d>read this</c_d>';
  expect(userWords(`${'<a_b>'.repeat(63)}${reminder}`)).toBe('<a_b>'.repeat(63));
  for (const count of [64, 200_000]) {
    const text = `${'<a_b>'.repeat(count)}${reminder}`;
    expect(userWords(text)).toBe(text);
  }
});
