// What one call costs at the edge, counted in events and not in time: one listener or one write too many is found here,
// where no clock would show it.

import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBodyAs, readDocument } from '../../src/http/body.ts';
import { sendBytes } from '../../src/http/respond.ts';
import { type Edge, route, startEdge } from './edge.ts';

const CALLS = 50;

/** `sends` are the writes that reach the system. */
type Counts = { emits: number; listeners: number; writes: number; sends: number };

let edge: Edge;

beforeAll(async () => {
  edge = await startEdge(
    [
      route('POST', '/v1/echo', async (exchange) => {
        // As in a call that has first looked up its caller.
        await Promise.resolve();
        const document = await readBodyAs(exchange, 'somebody', (bytes) => readDocument(bytes, 'somebody'));
        sendBytes(exchange, 200, { type: 'application/json', body: document.bytes });
      }),
    ],
    { onFinished: () => undefined },
  );
});

afterAll(() => edge.close());

/** Counts what happens to the requests, the responses and the server's ends of connections while `run` runs. */
async function counting(run: () => Promise<void>): Promise<Counts> {
  const counts: Counts = { emits: 0, listeners: 0, writes: 0, sends: 0 };
  const isOfServer = (it: unknown): boolean =>
    it instanceof IncomingMessage ||
    it instanceof ServerResponse ||
    (it instanceof Socket && it.localPort === edge.port);
  const { emit, on } = EventEmitter.prototype;
  const { write, _write: send, _writev: sendMany } = Socket.prototype;
  EventEmitter.prototype.emit = function (this: EventEmitter, ...parameters) {
    if (isOfServer(this)) counts.emits += 1;
    return emit.apply(this, parameters);
  };
  EventEmitter.prototype.on = function (this: EventEmitter, ...parameters) {
    if (isOfServer(this)) counts.listeners += 1;
    return on.apply(this, parameters);
  };
  EventEmitter.prototype.addListener = EventEmitter.prototype.on;
  Socket.prototype.write = function (this: Socket, ...parameters: Parameters<Socket['write']>) {
    if (isOfServer(this)) counts.writes += 1;
    return write.apply(this, parameters);
  } as Socket['write'];
  Socket.prototype._write = function (this: Socket, ...parameters) {
    if (isOfServer(this)) counts.sends += 1;
    send.apply(this, parameters);
  };
  Socket.prototype._writev = function (this: Socket, ...parameters) {
    if (isOfServer(this)) counts.sends += 1;
    sendMany?.apply(this, parameters);
  };
  try {
    await run();
  } finally {
    EventEmitter.prototype.emit = emit;
    EventEmitter.prototype.on = on;
    EventEmitter.prototype.addListener = on;
    Socket.prototype.write = write;
    Socket.prototype._write = send;
    if (sendMany !== undefined) Socket.prototype._writev = sendMany;
  }
  return counts;
}

function call(socket: Socket, body: string): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    let received = '';
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      if (!received.endsWith(body)) return;
      socket.off('data', onData).off('close', onClose);
      resolve(received);
    };
    const onClose = (): void => reject(new Error(`closed after ${received}`));
    socket.on('data', onData).on('close', onClose);
  });
  const head = `POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  return answer;
}

test('a call over an open connection: few events, two listeners of our own, one write of one piece', async () => {
  const socket = connect(edge.port, '127.0.0.1');
  const body = JSON.stringify({ model: 'm', text: 'x'.repeat(1_000) });
  await call(socket, body);
  const counts = await counting(async () => {
    for (let count = 0; count < CALLS; count += 1) await call(socket, body);
  });
  socket.destroy();
  expect(counts.sends / CALLS).toBe(1);
  expect(counts.writes / CALLS).toBe(1);
  expect(counts.listeners / CALLS).toBeLessThanOrEqual(5);
  expect(counts.emits / CALLS).toBeLessThanOrEqual(6);
});
