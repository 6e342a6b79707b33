// How long a direct connection waits for its client, and what it takes for a call. The time passes when a test says so.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RouteRow } from '../exchange.ts';
import { DirectConnection } from './direct-connection.ts';
import type { DirectResponse } from './direct-response.ts';

const TIMEOUTS = { headersMs: 10_000, requestMs: 60_000, idleMs: 80_000 };
const ROUTE: RouteRow = { method: 'POST', path: '/v1/x', access: 'model', handle() {} };
const CALL = 'POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

let server: Server;
let client: Socket;
let socket: Socket;
let connection: DirectConnection;
let served: DirectResponse[];
let isYielded: boolean;

beforeEach(async () => {
  served = [];
  isYielded = false;
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  [socket] = (await once(server, 'connection')) as [Socket];
  connection = new DirectConnection(socket, {
    timeouts: TIMEOUTS,
    routeOf: () => ROUTE,
    serve: (_, response) => served.push(response),
    onYielded() {
      isYielded = true;
    },
    onClosed() {},
  });
});
afterEach(() => {
  client.destroy();
  socket.destroy();
  server.close();
});

/** Reads so much and no more. */
async function readOf(bytes: number): Promise<void> {
  let left = bytes;
  while (left > 0) {
    const piece: Buffer | null = client.read();
    if (piece === null) await once(client, 'readable');
    else left -= piece.length;
  }
}

test('a client that goes on reading one large answer is not cut, and one that has stopped is', async () => {
  // More than what the system holds between the two.
  const step = 16_000_000;
  const steps = 5;
  client.write(CALL);
  await expect.poll(() => served.length).toBe(1);
  served[0]?.writeHead(200, ['Content-Length', `${steps * step}`]).end('#'.repeat(steps * step));
  for (let count = 1; count < steps; count += 1) {
    await readOf(step);
    connection.sweep(TIMEOUTS.idleMs - 1);
    expect(socket.destroyed).toBe(false);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let passedMs = 0; passedMs <= 2 * TIMEOUTS.idleMs; passedMs += TIMEOUTS.headersMs) {
    connection.sweep(TIMEOUTS.headersMs);
  }
  expect(socket.destroyed).toBe(true);
});

test('a line end behind a body is no request: nobody is refused for it, and the next call is read here', async () => {
  client.write(`${CALL}\r\n`);
  await expect.poll(() => served.length).toBe(1);
  served[0]?.writeHead(204, []).end();
  await expect.poll(() => connection.isIdle).toBe(true);
  client.write('\n\r\n');
  await expect.poll(() => socket.bytesRead).toBe(CALL.length + 5);
  const { bytesWritten } = socket;
  connection.sweep(TIMEOUTS.requestMs + 1);
  expect([isYielded, connection.isIdle]).toEqual([false, true]);
  expect([socket.writable, socket.bytesWritten]).toEqual([true, bytesWritten]);
  client.write(`\r\n${CALL}`);
  await expect.poll(() => served.length).toBe(2);
});

test('a client that has said that it leaves, and has not read what it got, makes the answer wait', async () => {
  const piece = '#'.repeat(100_000);
  client.write(CALL);
  await expect.poll(() => served.length).toBe(1);
  const [response] = served as [DirectResponse];
  const told: string[] = [];
  for (const event of ['drain', 'close']) response.on(event, () => told.push(event));
  response.startFramed(200, []);
  while (response.write(piece));
  client.end();
  await expect.poll(() => socket.writable).toBe(false);
  expect(response.writableLength).toBeGreaterThan(0);
  expect(response.write(piece)).toBe(false);
  client.resume();
  await expect.poll(() => told).toEqual(['close']);
  expect(response.write(piece)).toBe(true);
});

test('a call that arrives behind the refusal of a late client is not begun', async () => {
  // The client reads nothing, so that the refusal cannot leave at once.
  socket.write('#'.repeat(20_000_000));
  connection.sweep(TIMEOUTS.headersMs + 1);
  client.write(CALL);
  await expect.poll(() => socket.bytesRead).toBe(CALL.length);
  expect(socket.destroyed).toBe(false);
  expect(served).toEqual([]);
});

test('a client that ends within its body is refused, as by Node', async () => {
  let received = '';
  client.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  client.end(CALL.slice(0, -1));
  await expect.poll(() => received).toContain('The HTTP request is malformed.');
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  await expect.poll(() => socket.destroyed).toBe(true);
  const [response] = served as [DirectResponse];
  expect(response.destroyed).toBe(true);
});

test('a client that ends within its body when it has been answered gets nothing more', async () => {
  let received = '';
  client.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  client.write(CALL.slice(0, -1));
  await expect.poll(() => served.length).toBe(1);
  served[0]?.writeHead(402, ['Content-Length', '0']).end();
  await expect.poll(() => received).toContain('402');
  client.end();
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
});
