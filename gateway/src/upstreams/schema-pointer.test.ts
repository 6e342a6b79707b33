// References within a schema lead where RFC 6901 says, and nowhere else.

import { expect, test } from 'vitest';
import { followPointer } from './schema-pointer.ts';

const at = (place: string) => ({ title: place });
const ROOT = {
  $defs: { 'a/b': at('a/b'), 'm~n': at('m~n'), '~1': at('~1'), 'x y': at('x y'), Größe: at('Größe'), 'c%d': at('c%d') },
  properties: { list: { items: [at('first'), at('second')] }, '': at('empty') },
};

// The last three are the RFC's own cases: percent signs first, then a slash, then a tilde.
test.each([
  ['#/$defs/a~1b', 'a/b'],
  ['#/$defs/m~0n', 'm~n'],
  ['#/$defs/~01', '~1'],
  ['#/$defs/x%20y', 'x y'],
  ['#/%24defs/Gr%C3%B6%C3%9Fe', 'Größe'],
  ['#/$defs/Größe', 'Größe'],
  ['#/properties/list/items/1', 'second'],
  ['#/properties/', 'empty'],
  ['#/$defs/a%7E1b', 'a/b'],
  ['#/$defs/c%25d', 'c%d'],
  ['#/$defs/%7E01', '~1'],
])('TOOL-03 %s leads to %s', (reference, place) => {
  expect(followPointer(ROOT, reference)).toEqual(at(place));
});

test('the whole is meant by a pointer without a name', () => {
  expect(followPointer(ROOT, '#')).toBe(ROOT);
});

test.each([
  '#/$defs/none',
  '#/$defs/a/b',
  '#/$defs/c%d',
  '#/$defs/%',
  '#$defs',
  'other.json#/$defs/x',
  '',
  '#/constructor/prototype',
  '#/properties/list/items/length',
  `#${'/a'.repeat(1_000)}`,
])('%s leads nowhere', (reference) => {
  expect(followPointer(ROOT, reference)).toBeUndefined();
});
