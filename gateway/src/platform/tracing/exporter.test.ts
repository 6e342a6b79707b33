// A collector that begins an answer and never ends it costs one batch, not all that come after it.

import { createServer, type ServerResponse } from 'node:http';
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

test.each([
  ['a byte now and then', (response: ServerResponse) => response.write(' ')],
  ['more than anybody reads', (response: ServerResponse) => response.write(' '.repeat(100_000))],
])('%s, without an end', async (_, drip) => {
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
  const exporter = openExporter(
    {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
      ...{ headers: [], resource: {}, timeoutMs: 1_000, queueMax: 10, batchMax: 1, delayMs: 20 },
    },
    systemClock,
    silentLogger,
  );
  exporter.add(span);
  await expect.poll(() => heard).toBe(1);
  exporter.add(span);
  isEndless = false;
  await expect.poll(() => exporter.exportedCount() + exporter.droppedCount()).toBe(2);
  expect(exporter.exportedCount()).toBeGreaterThanOrEqual(1);
  await exporter.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
