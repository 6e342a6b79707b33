import { expect, test } from 'vitest';
import { barsOf } from './bars.ts';

const row = (id: string, values: Record<string, number>) => {
  const parts = Object.entries(values).map(([model, value]) => ({ id: model, value }));
  return { id, label: id.toUpperCase(), total: parts.reduce((sum, { value }) => sum + value, 0), parts };
};

test('bars are measured against the longest, and rows without spending are left out', () => {
  const { bars } = barsOf([row('red', { a: 1 }), row('none', {}), row('blue', { a: 1, b: 3 })]);
  expect(bars.map(({ id, width }) => [id, width])).toEqual([
    ['blue', 1],
    ['red', 0.25],
  ]);
  expect(bars[0]?.parts.map(({ id, share }) => [id, share])).toEqual([
    ['b', 0.75],
    ['a', 0.25],
  ]);
});

test('a model has one colour in every bar, and beyond the fifth they are one part', () => {
  const { bars, legend } = barsOf([row('all', { a: 6, b: 5, c: 4, d: 3, e: 2, f: 1, g: 1 }), row('one', { c: 1 })]);
  expect(legend.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', ' rest']);
  expect(bars[0]?.parts.at(-1)).toMatchObject({ id: ' rest', value: 2 });
  expect(bars[1]?.parts[0]?.color).toBe(legend.find(({ id }) => id === 'c')?.color);
});
