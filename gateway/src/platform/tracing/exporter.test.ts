// A collector that begins an answer and never ends it costs one batch, not all that come after it, and what waits for one
// that says nothing is bounded.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { silentLogger } from '../logger.ts';
import { openExporter } from './exporter.ts';
import type { SpanRecord } from './span.ts';

const span: SpanRecord = {
  ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: null, tracestate: null },
  ...{ name: 'a call', kind: 'client', startMs: 0, endMs: 1, attributes: new Map(), hasFailed: false },
};

const QUEUE_MAX = 10;

const openTo = (server: Server) =>
  openExporter(
    {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
      ...{ headers: [], resource: {}, timeoutMs: 5_000, queueMax: QUEUE_MAX, batchMax: 1, delayMs: 20 },
    },
    systemClock,
    silentLogger,
  );

test('spans that come while the queue is full are dropped at once, and counted', async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const exporter = openTo(server);
  for (let added = 0; added < 30; added += 1) exporter.add(span);
  // One is under way.
  expect([exporter.queuedCount(), exporter.droppedCount()]).toEqual([QUEUE_MAX, 30 - QUEUE_MAX - 1]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await exporter.close();
});

test.each([
  ['a byte now and then', 1, (response: ServerResponse) => response.write(' ')],
  // Its status has said that the batch was taken, so the rest is neither read nor waited for.
  ['more than anybody reads', 2, (response: ServerResponse) => response.write(' '.repeat(100_000))],
])('%s, without an end', async (_, exported, drip) => {
  let isEndless = true;
  let heard = 0;
  const server = createServer((request, response) => {
    request.resume();
    heard += 1;
    if (!isEndless) return void response.end('{}');
    drip(response);
    const timer = setInterval(() => drip(response), 20);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const exporter = openTo(server);
  exporter.add(span);
  await expect.poll(() => heard).toBe(1);
  exporter.add(span);
  isEndless = false;
  await expect.poll(() => exporter.exportedCount() + exporter.droppedCount()).toBe(2);
  expect(exporter.exportedCount()).toBe(exported);
  await exporter.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
