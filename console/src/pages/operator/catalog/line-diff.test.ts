import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const shown = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '' }[kind]}${text}`);

test('a changed line is shown with two lines on both sides', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng';
  expect(shown(before, before.replace('d', 'D'))).toEqual(['…', ' b', ' c', '-d', '+D', ' e', ' f', '…']);
});

test('lines between two changes stay where they are', () => {
  expect(shown('1\nx\n2', '3\nx\n4')).toEqual(['-1', '+3', ' x', '-2', '+4']);
});

test('added and removed lines at the ends', () => {
  expect(shown('a', 'a\nb')).toEqual([' a', '+b']);
  expect(shown('a\nb', 'b')).toEqual(['-a', ' b']);
});

test('equal texts differ in nothing', () => {
  expect(lineDiff('a\nb', 'a\nb').every(({ kind }) => kind === 'gap')).toBe(true);
});
