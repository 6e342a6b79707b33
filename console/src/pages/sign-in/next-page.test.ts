import { expect, test } from 'vitest';
import { nextPage, tokenOf } from './next-page.ts';

test.each([
  [undefined, '', '/console/'],
  ['/keys', '', '/console/keys'],
  ['/console/usage?period=day', '', '/console/usage?period=day'],
  ['/consoles', '', '/console/consoles'],
  ['/invitation', 'token=abc', '/console/invitation#token=abc'],
])('after signing in, %s with #%s leads to %s', (next, hash, page) => {
  expect(nextPage(next, hash)).toBe(page);
});

test('the token is what the mail put behind the hash', () => {
  expect([tokenOf('token=abc-_1'), tokenOf(''), tokenOf('other=1')]).toEqual(['abc-_1', null, null]);
});
