// We frame a stream of events ourselves: a client reads exactly what was written, in every form.

import { connect, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendEvents, startEventStream } from '../../src/http/sse.ts';
import { type Edge, route, sendRaw, startEdge } from './edge.ts';

let edge: Edge;
const pieces: (string | Buffer)[] = ['data: é😀\n\n', Buffer.from('data: é😀\n\n'), '', 'x'.repeat(70_000)];

beforeAll(async () => {
  edge = await startEdge([
    route('GET', '/v1/pieces', (exchange) => {
      startEventStream(exchange);
      for (const piece of pieces) exchange.response.write(piece);
      exchange.response.end(Buffer.from('last é\n\n').toString('latin1'), 'latin1');
    }),
    route('GET', '/v1/bare-end', (exchange) => {
      startEventStream(exchange);
      exchange.response.write('a\n\n');
      exchange.response.end();
    }),
    route('GET', '/v1/nothing', (exchange) => {
      startEventStream(exchange);
      exchange.response.end();
    }),
    route('GET', '/v1/at-once', (exchange) => sendEvents(exchange, Buffer.from('data: ü\n\n'))),
  ]);
});

afterAll(() => edge.close());

const read = async (path: string): Promise<string> => (await fetch(edge.url + path)).text();

test('STRM-01 text, bytes, nothing and much arrive as they were written', async () => {
  expect(await read('/v1/pieces')).toBe(`${pieces.map(String).join('')}last é\n\n`);
  expect(await read('/v1/bare-end')).toBe('a\n\n');
  expect(await read('/v1/nothing')).toBe('');
  expect(await read('/v1/at-once')).toBe('data: ü\n\n');
});

test('the connection goes on after a stream', async () => {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const last = 'GET /v1/at-once HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const received = await sendRaw(edge.port, get('/v1/bare-end') + get('/v1/nothing') + last);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(received).toContain('3\r\na\n\n\r\n0\r\n\r\n');
  expect(received.endsWith('0\r\n\r\n')).toBe(true);
});

test('a client of HTTP/1.0 gets the bare bytes, and the end of the connection as their end', async () => {
  const received = await sendRaw(edge.port, 'GET /v1/bare-end HTTP/1.0\r\n\r\n');
  expect(received).not.toMatch(/transfer-encoding/i);
  expect(received.endsWith('\r\n\r\na\n\n')).toBe(true);
});

test('a piece is one write', async () => {
  const { _write: send, _writev: sendMany } = Socket.prototype;
  let sends = 0;
  const isOfServer = (socket: Socket): boolean => socket.localPort === edge.port;
  Socket.prototype._write = function (this: Socket, ...parameters) {
    if (isOfServer(this)) sends += 1;
    send.apply(this, parameters);
  };
  Socket.prototype._writev = function (this: Socket, ...parameters) {
    if (isOfServer(this)) sends += parameters[0].length;
    sendMany?.apply(this, parameters);
  };
  try {
    const socket = connect(edge.port, '127.0.0.1');
    socket.write('GET /v1/bare-end HTTP/1.1\r\nHost: a\r\n\r\n');
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.endsWith('0\r\n\r\n')) break;
    }
  } finally {
    Socket.prototype._write = send;
    if (sendMany !== undefined) Socket.prototype._writev = sendMany;
  }
  // The head with the first piece, and the end, which is a text and Node's own empty one.
  expect(sends).toBeLessThanOrEqual(3);
});
