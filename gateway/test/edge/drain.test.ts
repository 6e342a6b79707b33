// An orderly end: running calls are finished, idle connections are closed, and calls that never end are cut at the
// deadline.

import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { readReadiness } from '../../src/endpoints/system/health.ts';
import { sendJson } from '../../src/http/respond.ts';
import { startEventStream } from '../../src/http/sse.ts';
import { route, startEdge } from './edge.ts';

const sleep = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));

test('a drain lets a running stream end, closes idle connections and accepts nothing new', async () => {
  const edge = await startEdge([
    route('GET', '/v1/stream', async (exchange) => {
      startEventStream(exchange);
      exchange.response.write('data: first\n\n');
      await sleep(400);
      exchange.response.write('data: last\n\n');
      exchange.response.end();
    }),
    route('GET', '/v1/quick', (exchange) => sendJson(exchange, 200, {})),
  ]);
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    httpRequest(`${edge.url}/v1/quick`, { agent }, (answer) => answer.resume().on('end', () => resolve())).end();
  });
  const stream = await fetch(`${edge.url}/v1/stream`);
  // Longer than the test may take: a server that waited for the idle connection would not end in time.
  const drained = edge.server.drain(600_000);
  expect(edge.server.isDraining()).toBe(true);
  await expect(fetch(`${edge.url}/v1/quick`)).rejects.toThrow();
  expect(await stream.text()).toBe('data: first\n\ndata: last\n\n');
  await drained;
  agent.destroy();
});

test('a call that arrives on an open connection during the drain is served and told to close', async () => {
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let hasBegun = (): void => {};
  const begun = new Promise<void>((resolve) => {
    hasBegun = resolve;
  });
  const edge = await startEdge([
    route('GET', '/v1/slow', async (exchange) => {
      hasBegun();
      await isGoingOn;
      sendJson(exchange, 200, { served: true });
    }),
    route('GET', '/readyz', (exchange) => {
      // Before it has arrived, the end of the first answer would close the connection.
      goOn();
      return readReadiness({
        isStarting: () => false,
        isDraining: () => edge.server.isDraining(),
        isDatabaseReachable: () => true,
        isLedgerServing: () => true,
      })(exchange);
    }),
  ]);
  const received = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(edge.port, '127.0.0.1', async () => {
      socket.write('GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\n');
      await begun;
      void edge.server.drain(600_000);
      socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
  expect(received).toContain('{"served":true}');
  expect(received).toContain('HTTP/1.1 503');
  expect(received).toContain('{"status":"draining"}');
  expect(received.toLowerCase()).toContain('connection: close');
});

test('what does not end is cut at the deadline', async () => {
  const edge = await startEdge([
    route('GET', '/v1/forever', (exchange) => {
      startEventStream(exchange);
      exchange.response.write('data: 1\n\n');
    }),
  ]);
  const stream = await fetch(`${edge.url}/v1/forever`);
  const reading = stream.text();
  await Promise.all([edge.server.drain(200), expect(reading).rejects.toThrow()]);
});

test('ready is who admits and settles calls: a database that answers is not enough', async () => {
  let isServing = true;
  const edge = await startEdge([
    route(
      'GET',
      '/readyz',
      readReadiness({
        isStarting: () => false,
        isDraining: () => false,
        isDatabaseReachable: () => true,
        isLedgerServing: () => isServing,
      }),
    ),
  ]);
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${edge.port}/readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await ask()).toEqual([200, { status: 'ready' }]);
  isServing = false;
  expect(await ask()).toEqual([503, { status: 'ledger unavailable' }]);
});
