// Our code decides which elements need no quotes between braces, so it is tried with every character that could end an
// element or have a meaning.

import { expect, test } from 'vitest';
import { arrayText, elementText } from './array-text.ts';

test.each([
  ['gen-01ab', 'gen-01ab'],
  ['maker/model:free', 'maker/model:free'],
  ['', '""'],
  ['null', '"null"'],
  ['NULL', '"NULL"'],
  ['nullable', 'nullable'],
  ['a,b', '"a,b"'],
  ['{a}', '"{a}"'],
  [' a ', '" a "'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['é\n', '"é\n"'],
  [null, 'NULL'],
])('%j is written %j', (text, written) => {
  expect(elementText(text)).toBe(written);
});

test('elements are joined as they are', () => {
  expect(arrayText(['1', '"a"', 'NULL'])).toBe('{1,"a",NULL}');
  expect(arrayText([])).toBe('{}');
});
