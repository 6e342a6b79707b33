import { expect, test } from 'vitest';
import { isOwnPage, textOf } from './search.ts';

test('only what was asked for is read, as text, and what is empty is not there', () => {
  const search = { orgId: 'org-1', app: 7, from: '', other: 'x', model: { deep: true } };
  expect(textOf(search, ['orgId', 'app', 'from', 'model'])).toEqual({ orgId: 'org-1', app: '7' });
});

test.each([
  ['/keys', true],
  ['/console/keys?x=1#token=2', true],
  ['//evil.example', false],
  ['/\\evil.example', false],
  ['https://evil.example', false],
])('%s is a page of this site: %s', (path, expected) => {
  expect(isOwnPage(path)).toBe(expected);
});
