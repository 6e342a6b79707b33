// What is counted in a text, and which part of a long one is read.

import { expect, test } from 'vitest';
import { characterTables } from './characters.ts';
import { createTextWindow } from './signals.ts';
import { createShapeReader, type TextShape } from './text-shape.ts';

const reader = createShapeReader(characterTables());

function shapeOf(text: string): TextShape {
  const window = createTextWindow(1_000);
  window.fill(text);
  return reader.measure(window.units, window.length());
}

test.each<[string, string, Partial<TextShape>]>([
  ['words', "It's one, two; three!", { words: 5, commas: 2 }],
  ['ideographs are words', '你好吗', { words: 3 }],
  ['numbers', 'add 12 and 3.5 to x2', { numbers: 3 }],
  ['questions in either width', 'Who? 谁？', { questions: 2 }],
  ['fences', '```js\na\n```', { codeFences: 2 }],
  ['identifiers', 'call useEffect and tenant_id, not Mister', { identifiers: 2 }],
  ['formulas', 'x^2 + 1 = 0', { mathMarks: 3 }],
  ['percents', '20 % or 30%', { percents: 2 }],
  ['rows of equal width', 'a,b,c\n1,2,3\n4,5,6', { tableLines: 2 }],
  ['sentences are no rows', 'First, second.\nThird, fourth, fifth.', { tableLines: 0 }],
  ['lists', '- one\n- two\n1. three\nfour', { listLines: 3 }],
  ['clock times', 'from 9:15 to 10:30, ratio 3:1', { clockTimes: 2 }],
  [
    'hashtags, tickers, addresses, links',
    '#fun $AAPL ann@example.test https://example.test',
    {
      hashtags: 1,
      tickers: 1,
      addresses: 1,
      links: 1,
    },
  ],
  ['nothing', '', { words: 0, listLines: 0, tableLines: 0 }],
])('%s', (_title, text, expected) => {
  expect(shapeOf(text)).toMatchObject(expected);
});

test('a long text is its beginning and its end', () => {
  const window = createTextWindow(3);
  window.fill('abcdefghij');
  const text = String.fromCharCode(...window.units.subarray(0, window.length()));
  expect(text).toBe('abc\nhij');
  window.fill('abcdef');
  expect(window.length()).toBe(6);
});
