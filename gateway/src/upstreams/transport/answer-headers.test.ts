// Only the headers that are read, whatever else an upstream sends, and how the bytes after them are to be taken.

import { expect, test } from 'vitest';
import { MalformedAnswer, readAnswerHead } from './answer-headers.ts';

const headOf = (lines: readonly string[], start = 'HTTP/1.1 200 OK') =>
  readAnswerHead([start, ...lines].map((line) => `${line}\r\n`).join(''));
const shape = Object.keys(headOf([]).headers);

test('known headers are found in any case among others, and the object always has the same members', () => {
  const { headers } = headOf([
    'Content-Type: application/json',
    'x-request-id: req_1',
    '__proto__: x',
    'RETRY-AFTER:5  ',
    'Set-Cookie: a=b',
  ]);
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'retry-after': '5', date: undefined });
  expect(Object.keys(headers)).toEqual(shape);
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
});

test('a header that is stated twice is a list in one text', () => {
  expect(headOf(['retry-after: 5', 'Retry-After: 7']).headers['retry-after']).toBe('5, 7');
  expect(headOf(['content-encoding: gzip', 'content-encoding: br']).headers['content-encoding']).toBe('gzip, br');
});

test('bytes beyond ASCII, an empty value, and a status without words', () => {
  expect(headOf(['date: d\xe9c', 'content-type:']).headers).toMatchObject({ date: 'd\xe9c', 'content-type': '' });
  expect(headOf([], 'HTTP/1.1 503').status).toBe(503);
  expect(headOf([], 'HTTP/1.1 200 D\xe9j\xe0 vu').status).toBe(200);
});

test('the body has a length, comes in chunks, or ends with the connection', () => {
  expect(headOf(['content-length: 12']).body).toEqual({ bytes: 12 });
  expect(headOf(['transfer-encoding: Chunked']).body).toBe('chunked');
  expect(headOf([]).body).toBeNull();
  for (const status of [100, 103, 204, 304]) {
    expect(headOf(['content-length: 0'], `HTTP/1.1 ${status} x`).body, `${status}`).toEqual({ bytes: 0 });
  }
});

test('after an answer that has no body but states one, nobody knows where the next one begins', () => {
  for (const status of [204, 304]) {
    for (const line of ['content-length: 12', 'transfer-encoding: chunked']) {
      expect(headOf([line], `HTTP/1.1 ${status} x`), `${status}`).toMatchObject({ body: { bytes: 0 }, isKept: false });
    }
    expect(headOf(['content-length: 0'], `HTTP/1.1 ${status} x`).isKept).toBe(true);
    expect(headOf([], `HTTP/1.1 ${status} x`).isKept).toBe(true);
  }
});

test('blanks around a value are those of HTTP, and others belong to it', () => {
  const { headers, body } = headOf(['date:\t a\xa0 \t', 'content-length: \t12 ']);
  expect(headers).toMatchObject({ date: 'a\xa0', 'content-length': '12' });
  expect(body).toEqual({ bytes: 12 });
});

test('whether the connection is kept, and how long', () => {
  expect(headOf([])).toMatchObject({ isKept: true, keptSeconds: null });
  expect(headOf(['connection: close']).isKept).toBe(false);
  expect(headOf(['connection: keep-alive', 'Connection: Close']).isKept).toBe(false);
  expect(headOf([], 'HTTP/1.0 200 OK').isKept).toBe(false);
  expect(headOf(['connection: Keep-Alive'], 'HTTP/1.0 200 OK').isKept).toBe(true);
  expect(headOf(['keep-alive: timeout=15, max=100']).keptSeconds).toBe(15);
  expect(headOf(['keep-alive: max=100']).keptSeconds).toBeNull();
  expect(headOf(['keep-alive: xtimeout=9']).keptSeconds).toBeNull();
});

test.each([
  ['no start', '', []],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2', []],
  ['HTTP/2 in words', 'HTTP/2 200', []],
  ['HTTP/1.2', 'HTTP/1.2 200 OK', []],
  ['a status of two digits', 'HTTP/1.1 20 OK', []],
  ['a status of zero', 'HTTP/1.1 000 OK', []],
  ['a folded line', 'HTTP/1.1 200 OK', ['date: a', ' b']],
  ['a space before the colon', 'HTTP/1.1 200 OK', ['content-length : 5']],
  ['a line without a colon', 'HTTP/1.1 200 OK', ['content-length']],
  ['a name of nothing', 'HTTP/1.1 200 OK', [': x']],
  ['a NUL in a value', 'HTTP/1.1 200 OK', ['date: a\0b']],
  ['a bare line feed', 'HTTP/1.1 200 OK', ['date: a\ncontent-length: 5']],
  ['a bare carriage return', 'HTTP/1.1 200 OK', ['date: a\rcontent-length: 5']],
  ['a length with a sign', 'HTTP/1.1 200 OK', ['content-length: +5']],
  ['a length that is negative', 'HTTP/1.1 200 OK', ['content-length: -5']],
  ['a length in hexadecimal', 'HTTP/1.1 200 OK', ['content-length: 0x5']],
  ['a length of nothing', 'HTTP/1.1 200 OK', ['content-length:']],
  ['a length beyond all numbers', 'HTTP/1.1 200 OK', ['content-length: 99999999999999999999']],
  ['two lengths', 'HTTP/1.1 200 OK', ['content-length: 5', 'content-length: 5']],
  ['a length and chunks', 'HTTP/1.1 200 OK', ['content-length: 5', 'transfer-encoding: chunked']],
  ['another transfer coding', 'HTTP/1.1 200 OK', ['transfer-encoding: gzip, chunked']],
  ['a length with a blank that is none', 'HTTP/1.1 200 OK', ['content-length: 5\xa0']],
  ['a length with a tab behind it', 'HTTP/1.1 200 OK', ['content-length: 5\t']],
  ['chunks with a blank that is none', 'HTTP/1.1 200 OK', ['transfer-encoding: \xa0chunked']],
  ['chunks with a blank behind them', 'HTTP/1.1 200 OK', ['transfer-encoding: chunked ']],
  ['two lengths of nothing', 'HTTP/1.1 204 x', ['content-length: 5', 'content-length: 5']],
  ['a length and chunks of nothing', 'HTTP/1.1 304 x', ['content-length: 5', 'transfer-encoding: chunked']],
  ['a hint with a length', 'HTTP/1.1 103 Early Hints', ['content-length: 12']],
  ['a hint in chunks', 'HTTP/1.1 100 Continue', ['transfer-encoding: chunked']],
  ['chunks twice', 'HTTP/1.1 200 OK', ['transfer-encoding: chunked', 'transfer-encoding: chunked']],
])('refuses %s', (_, start, lines) => {
  expect(() => headOf(lines, start)).toThrow(MalformedAnswer);
});

test('a long head of any kind takes time in proportion to its length', () => {
  for (const piece of ['a', ':', 'a:', 'a:b\r\n', '\r\n', ' ', 'a: \t']) {
    const text = `HTTP/1.1 200 OK\r\n${piece.repeat(16_000 / piece.length)}\0`;
    expect(() => readAnswerHead(text)).toThrow(MalformedAnswer);
  }
});
