// JSON in a text is reviewed value by value, and everything that is not changed keeps its bytes.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapJsonText } from './map-leaves.ts';

function seen(text: string): readonly string[] {
  const values: string[] = [];
  const mapped = mapJsonText(text, (part) => {
    values.push(part);
    return part;
  });
  expect(mapped).toBe(text);
  return values;
}

/** Quotes, backslashes, brackets and colons inside texts, names and numbers of every length. */
const awkward = fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', ',', ':', ' ', '7', 'é', '😀', '\n', 'a') });
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    awkward,
    fc.integer(),
    fc.constantFrom(null, true, false, 4_111_111_111_111_111, 12_345_678, 1_234_567),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(awkward, tie('value'), { maxKeys: 5 }),
  ),
}));

/** The texts and long numbers of a value in their order; names are left out. */
function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return /\d[\d.]{7,}/.test(String(value)) ? [String(value)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

const shouted = (value: unknown): unknown => {
  if (typeof value === 'string') return `${value}!`;
  if (Array.isArray(value)) return value.map(shouted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shouted(member)]));
};

test('FILT-04 every text and every long number is seen once, in order, as its reader sees it', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 1), (value, indent) => {
      expect(seen(JSON.stringify(value, null, indent))).toEqual(leavesOf(value));
    }),
    { numRuns: 500 },
  );
});

test('FILT-04 what is replaced is JSON again, and the rest keeps its bytes', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value, null, 1);
      const mapped = mapJsonText(text, (part) => (/^-?\d[\d.]{7,}$/.test(part) ? part : `${part}!`));
      expect(mapped).toBe(JSON.stringify(shouted(value), null, 1));
    }),
    { numRuns: 500 },
  );
  expect(mapJsonText('{ "a" : "x",\t"b":[ 12345678 ]}', (part) => (part === 'x' ? 'y' : '#'))).toBe(
    '{ "a" : "y",\t"b":[ "#" ]}',
  );
});

test('text that is not JSON is seen whole', () => {
  for (const text of ['', 'plain', '{"a":', '{"a":"b', '{"a":"b\\"', "{'a':1}", '{"a":1}x']) {
    expect(seen(text)).toEqual(text === '{"a":' ? [] : text === '' ? [] : [text]);
  }
});
