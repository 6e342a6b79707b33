// Only the headers that are read, whatever else an upstream sends.

import { expect, test } from 'vitest';
import { readAnswerHeaders } from './answer-headers.ts';

const read = (...lines: readonly (readonly [string, string])[]) =>
  readAnswerHeaders(lines.flat().map((text) => Buffer.from(text, 'latin1')));
const shape = Object.keys(read());

test('known headers are found in any case among others, and the object always has the same members', () => {
  const headers = read(
    ['Content-Type', 'application/json'],
    ['x-request-id', 'req_1'],
    ['__proto__', 'x'],
    ['RETRY-AFTER', '5'],
    ['Set-Cookie', 'a=b'],
  );
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '5', date: undefined });
  expect(Object.keys(headers)).toEqual(shape);
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
});

test('a header that is stated twice is a list in one text', () => {
  expect(read(['retry-after', '5'], ['Retry-After', '7'])['retry-after']).toBe('5, 7');
  expect(read(['content-encoding', 'gzip'], ['content-encoding', 'br'])['content-encoding']).toBe('gzip, br');
});

test('bytes beyond ASCII, an empty value and a name without its value', () => {
  expect(read(['date', 'd\xe9c'], ['content-type', ''])).toMatchObject({ date: 'd\xe9c', 'content-type': '' });
  expect(readAnswerHeaders([Buffer.from('date')]).date).toBeUndefined();
});
