// Requests that a client sends ahead, on a connection that Node reads: their answers wait for those before them, and end
// with their client wherever they stand.

import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { largeBodyBytes, readBody } from '../../src/http/body.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { sendJson } from '../../src/http/respond.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Edge, route, startEdge, statusesIn } from './edge.ts';

const COUNT = 30;
const BODY_BYTES = 3_000_000;

let edge: Edge;
let seen: Exchange[];
let closes: number[];
let letFirstEnd: () => void;

beforeEach(async () => {
  seen = [];
  closes = [];
  const first = new Promise<void>((resolve) => {
    letFirstEnd = resolve;
  });
  edge = await startEdge([
    route('GET', '/v1/first', async (exchange) => {
      watch(exchange);
      await first;
      sendJson(exchange, 200, { place: 0 });
    }),
    route('POST', '/v1/next', async (exchange) => {
      const place = watch(exchange);
      const body = await readBody(exchange);
      if (place === COUNT + 1) return;
      sendJson(exchange, 200, { place, length: body.length });
    }),
  ]);
});
afterEach(() => edge.close());

/** Counts how often its response closes, and answers its place among all. */
function watch(exchange: Exchange): number {
  const place = seen.push(exchange) - 1;
  closes.push(0);
  exchange.response.on('close', () => {
    closes[place] = (closes[place] ?? 0) + 1;
  });
  return place;
}

const waitFor = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 5 });

const next = (body = '{}'): string =>
  `POST /v1/next HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A client with a first request that is not answered yet, and many behind it. */
function queueUp(more: string): Socket {
  const socket = connect(edge.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET /v1/first HTTP/1.1\r\nHost: a\r\n\r\n${next().repeat(COUNT)}${more}`);
  return socket;
}

test('the answers that wait close once when their client leaves, and what they held is let go', async () => {
  const before = largeBodyBytes();
  const socket = queueUp(next('x'.repeat(BODY_BYTES)));
  await waitFor(() => expect(largeBodyBytes() - before).toBeGreaterThanOrEqual(BODY_BYTES));
  expect(seen.length).toBe(COUNT + 2);
  expect(closes.every((count) => count === 0)).toBe(true);
  socket.resetAndDestroy();
  await waitFor(() => expect(closes.every((count) => count === 1)).toBe(true));
  expect(seen.every(({ response }) => response.destroyed)).toBe(true);
  expect(largeBodyBytes()).toBe(before);
  letFirstEnd();
  seen.at(-1)?.response.writeHead(200, []).end('late');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(closes.every((count) => count === 1)).toBe(true);
  // The last of the body may not have been read when its client left, which is told for whoever looks closely.
  expect(edge.log.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('the answers that wait are given in their turn, and leave nothing on the connection', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): number => warnings.push(warning);
  process.on('warning', onWarning);
  const socket = queueUp('');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  await waitFor(() => expect(seen.length).toBe(COUNT + 1));
  const [first] = seen as [Exchange];
  const listeners = (): number => first.request.socket.listenerCount('close');
  const whileQueued = listeners();
  letFirstEnd();
  await waitFor(() => expect(closes.every((count) => count === 1)).toBe(true));
  await waitFor(() => expect(statusesIn(received).length).toBe(COUNT + 1));
  expect([...received.matchAll(/"place":(\d+)/g)].map(([, place]) => Number(place))).toEqual(
    Array.from({ length: COUNT + 1 }, (_, place) => place),
  );
  expect(seen.every(({ response }) => response.writableFinished)).toBe(true);
  const afterwards = listeners();
  socket.destroy();
  await waitFor(() => expect(first.request.socket.destroyed).toBe(true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(closes.every((count) => count === 1)).toBe(true);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  expect(afterwards).toBeLessThanOrEqual(whileQueued);
});
