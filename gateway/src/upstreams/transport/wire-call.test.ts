// What goes over the wire, and what never does.

import { expect, test } from 'vitest';
import type { TransportCall } from './receiver.ts';
import { UnsendableCall, wireCall } from './wire-call.ts';

const place = { host: 'api.example:8443', pathPrefix: '/v1' };
const call = (of: Partial<TransportCall>): TransportCall => ({
  baseUrl: 'https://api.example:8443/v1',
  path: '/chat/completions',
  headers: ['content-type', 'application/json'],
  body: '{}',
  timeouts: { firstByteMs: 1, idleMs: 1, totalMs: 1 },
  responseBytesMax: 1,
  ...of,
});

test('the head names the target, the host, what is given, and the length of the body', () => {
  expect(wireCall(call({}), ['authorization', 'Bearer k'], place)).toEqual({
    head: [
      'POST /v1/chat/completions HTTP/1.1',
      'host: api.example:8443',
      'connection: keep-alive',
      'content-type: application/json',
      'authorization: Bearer k',
      'content-length: 2',
      '\r\n',
    ].join('\r\n'),
    body: '{}',
  });
});

test('a question has no body and states no length', () => {
  const { head, body } = wireCall(call({ method: 'GET', headers: [] }), [], place);
  expect(head).toBe('GET /v1/chat/completions HTTP/1.1\r\nhost: api.example:8443\r\nconnection: keep-alive\r\n\r\n');
  expect(body).toBeNull();
});

test('the length is in bytes, and text beyond ASCII goes out as bytes', () => {
  const { head, body } = wireCall(call({ body: '{"a":"\u20ac"}' }), [], place);
  expect(head).toContain('\r\ncontent-length: 11\r\n');
  expect(body).toEqual(Buffer.from('{"a":"\u20ac"}'));
  expect(wireCall(call({ body: '' }), [], place).head).toContain('\r\ncontent-length: 0\r\n');
});

test('how the call is framed is stated once, whatever is given', () => {
  const given = ['Content-Length', '7', 'transfer-encoding', 'chunked', 'Host', 'evil.example', 'Connection', 'close'];
  const { head } = wireCall(call({ headers: given }), [], place);
  expect(head.match(/content-length/gi)).toHaveLength(1);
  expect(head).not.toMatch(/transfer-encoding|evil|close/i);
});

test.each([
  ['a line end in a value', { headers: ['x-title', 'a\r\nx-evil: b'] }],
  ['a line feed in a value', { headers: ['x-title', 'a\nb'] }],
  ['a NUL in a value', { headers: ['x-title', 'a\0b'] }],
  ['a letter beyond one byte', { headers: ['x-title', '\u20ac'] }],
  ['a line end in a name', { headers: ['x-a\r\nx-evil', 'b'] }],
  ['a colon in a name', { headers: ['x-a: b\t', 'c'] }],
  ['no name', { headers: ['', 'b'] }],
  ['a space in the path', { path: '/a HTTP/1.1' }],
  ['a line end in the path', { path: '/a\r\nhost: evil' }],
] as const)('nothing is sent with %s', (_, wrong) => {
  expect(() => wireCall(call(wrong), [], place)).toThrow(UnsendableCall);
});

test('nothing is sent with a line end in a credential, and the credential is not in the error', () => {
  expect(() => wireCall(call({}), ['authorization', 'Bearer secret\r\nx: y'], place)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
});
