// Ordinary calls of models are read and answered without Node's parser: a client must not be able to tell. The same
// bytes go to an edge that reads them itself and to one where Node reads everything.

import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/errors/api-error.ts';
import { readBody } from '../../src/http/body.ts';
import { DirectRequest } from '../../src/http/direct/direct-request.ts';
import type { Exchange, RouteRow } from '../../src/http/exchange.ts';
import { sendJson } from '../../src/http/respond.ts';
import { startEventStream } from '../../src/http/sse.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Edge, route, sendRaw, startEdge, statusesIn } from './edge.ts';

const waitFor = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 5 });

const isDirect = ({ request }: Exchange): boolean => request instanceof DirectRequest;

const call = (path: string, body: string, more: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
    ...more,
    '',
    body,
  ].join('\r\n');

/** What a client gets, without what differs by nature: dates, ids and the order of headers. */
const told = (received: string): string =>
  received
    .replaceAll(/Date: [^\r]*/g, 'Date')
    .replaceAll(/req-[0-9a-f]{24}/g, 'req')
    .replaceAll(/HTTP\/1.1 .*?\r\n\r\n/gs, (head) => head.split('\r\n').sort().join('\r\n'));

const rows = (access: RouteRow['access']): RouteRow[] => [
  route(
    'POST',
    '/v1/echo',
    async (exchange) => {
      const body = await readBody(exchange);
      sendJson(exchange, 200, { headers: exchange.request.headers, body: body.toString('latin1') });
    },
    { access, bodyBytesMax: 300_000 },
  ),
  route(
    'POST',
    '/v1/late',
    async (exchange) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const body = await readBody(exchange);
      sendJson(exchange, 200, { é: body.length });
    },
    { access },
  ),
  route(
    'POST',
    '/v1/unread',
    () => {
      throw new ApiError('insufficient_credits', 'Top up.');
    },
    { access },
  ),
  route(
    'POST',
    '/v1/stream',
    async (exchange) => {
      await readBody(exchange);
      startEventStream(exchange, ['X-Generation-Id', 'gen-1']);
      exchange.response.write('data: é\n\n');
      exchange.response.write(Buffer.from('data: 2\n\n'));
      exchange.response.write('');
      await new Promise((resolve) => setImmediate(resolve));
      exchange.response.end('data: [DONE]\n\n', 'latin1');
    },
    { access },
  ),
  route(
    'POST',
    '/v1/file',
    async (exchange) => {
      await readBody(exchange);
      exchange.response.writeHead(200, [...exchange.headers, 'Content-Type', 'audio/mpeg']);
      exchange.response.write(Buffer.from([1, 2, 255]));
      exchange.response.end(Buffer.alloc(100_000, 7));
    },
    { access },
  ),
  route('GET', '/v1/get', (exchange) => sendJson(exchange, 200, { got: true }), { access }),
];

describe('the same bytes as Node', () => {
  let direct: Edge;
  let node: Edge;
  beforeAll(async () => {
    direct = await startEdge(rows('model'));
    node = await startEdge(rows('account'));
  });
  afterAll(async () => {
    await direct.close();
    await node.close();
  });

  const lasts = fc.constantFrom(
    'GET /v1/get HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    call('/v1/echo', '{}', ['Connection: close']),
    call('/v1/stream', '{}', ['Connection: close']),
  );
  /** Nothing else is sent with one of these: Node refuses it before what came with it is answered. */
  const refused = [
    call('/v1/echo', '{}').replace('HTTP/1.1', 'HTTP/1.0'),
    call('/v1/echo', '{}').replace('Content-Length: 2', 'Content-Length: +2'),
    call('/v1/echo', '{}', ['Content-Length: 3']),
    call('/v1/echo', '{}', ['Transfer-Encoding: chunked']),
    call('/v1/echo', '{}', ['X-A : 1']),
    call('/v1/echo', '{}', ['X-A: a\0b']),
    call('/v1/echo', '{}', ['Host: b', 'Connection: close']),
    call('/v1/echo', '{}', ['Content-Encoding: gzip', 'Connection: close']),
    call('/v1/echo', '{}', ['Expect: 100-continue', 'Connection: close']),
    call('/v1/echo', '{}').replace('Host: a\r\n', 'Connection: close\r\n'),
  ];
  const requests = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('{}', 'x'.repeat(70_000), '\xff\r\n\r\n').map((body) => call('/v1/echo', body)),
    },
    { weight: 2, arbitrary: fc.constantFrom(call('/v1/late', '{}'), call('/v1/late', 'y'.repeat(100_000))) },
    { weight: 2, arbitrary: fc.constantFrom(call('/v1/unread', '{}'), call('/v1/unread', 'z'.repeat(100_000))) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(call('/v1/stream', '{}'), call('/v1/file', '{}'), call('/api/v1/echo', '{}')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        call('/v1/echo?a=1', '{}'),
        call('/v1/nowhere', '{}'),
        call('/v1//echo', '{}'),
        call('/v1/echo', '{}', ['X-A: 1', 'X-A: 2']),
        `\r\n${call('/v1/echo', '{}')}\n\r\n`,
        call('/v1/echo', '{}', ['X-Long: \xe9']),
        'POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        'GET /v1/get HTTP/1.1\r\nHost: a\r\n\r\n',
      ),
    },
  );

  /** The bytes in pieces, each of them after a turn of the loop. */
  const talk = (port: number, text: string, cuts: readonly number[]): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
      });
      socket.on('close', () => resolve(told(received)));
      socket.on('error', () => {});
      const places = [...cuts.map((cut) => cut % text.length), text.length].sort((left, right) => left - right);
      let at = 0;
      const next = (): void => {
        const place = places.shift();
        if (place === undefined || socket.destroyed) return;
        socket.write(text.slice(at, place), 'latin1');
        at = place;
        setTimeout(next, 1);
      };
      socket.on('connect', next);
    });

  test('any calls, one after another and in any pieces, are answered as by Node', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(requests, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        lasts,
        async (sent, cuts, last) => {
          const text = sent.join('') + last;
          const [here, there] = await Promise.all([talk(direct.port, text, cuts), talk(node.port, text, cuts)]);
          expect(here).toBe(there);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each(refused.map((text) => [text]))('%j is answered as by Node, in any two pieces', async (text) => {
    for (const cut of [1, 20, text.length - 3, text.length]) {
      const [here, there] = await Promise.all([talk(direct.port, text, [cut]), talk(node.port, text, [cut])]);
      expect(here).toBe(there);
    }
  });
});

describe('a direct connection', () => {
  let edge: Edge;
  let seen: Exchange[];
  let closed: number;
  const model = (path: string, handle: RouteRow['handle']): RouteRow =>
    route('POST', path, handle, { access: 'model' });
  const watching = (exchange: Exchange): void => {
    seen.push(exchange);
    exchange.response.once('close', () => {
      closed += 1;
    });
  };

  beforeEach(async () => {
    seen = [];
    closed = 0;
    edge = await startEdge(
      [
        model('/v1/echo', async (exchange) => {
          watching(exchange);
          sendJson(exchange, 200, { length: (await readBody(exchange)).length });
        }),
        model('/v1/open', async (exchange) => {
          watching(exchange);
          await readBody(exchange);
          startEventStream(exchange);
          exchange.response.write('data: 1\n\n');
        }),
        model('/v1/never', watching),
        route('GET', '/v1/get', (exchange) => sendJson(exchange, 200, { got: true })),
      ],
      { headersTimeoutMs: 200, requestTimeoutMs: 400 },
    );
  });
  afterEach(() => edge.close());

  const open = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(edge.port, '127.0.0.1', () => resolve(socket));
      socket.on('error', () => {});
    });

  test('calls follow each other on it, and what is none goes to Node with the rest of the connection', async () => {
    const text = [call('/v1/echo', '{}'), call('/v1/echo', '{"a":1}'), 'GET /v1/get HTTP/1.1\r\nHost: a\r\n\r\n'];
    const received = await sendRaw(edge.port, text.join('') + call('/v1/echo', '[]', ['Connection: close']));
    expect(statusesIn(received)).toEqual([200, 200, 200, 200]);
    expect([...received.matchAll(/\{"(?:length":\d|got":true)\}/g)].map(String)).toEqual([
      '{"length":2}',
      '{"length":7}',
      '{"got":true}',
      '{"length":2}',
    ]);
    expect(seen.map(isDirect)).toEqual([true, true, false]);
    await waitFor(() => expect(closed).toBe(3));
  });

  test('a client that leaves is noticed before, within and after its body', async () => {
    const head = call('/v1/echo', 'x'.repeat(1_000)).slice(0, -900);
    for (const text of [head, call('/v1/never', '{}'), call('/v1/open', '{}')]) {
      const before = closed;
      const socket = await open();
      socket.write(text);
      await waitFor(() => expect(seen.length).toBe(before + 1));
      socket.destroy();
      await waitFor(() => expect(closed).toBe(before + 1));
      expect(seen.at(-1)?.response.destroyed).toBe(true);
    }
    expect(seen.every(isDirect)).toBe(true);
    expect(edge.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a client that reads nothing makes the answer wait, and gets all of it when it reads', async () => {
    const socket = await open();
    socket.pause();
    socket.write(call('/v1/open', '{}'));
    await waitFor(() => expect(seen.length).toBe(1));
    const { response } = seen[0] as Exchange;
    await waitFor(() => expect(response.headersSent).toBe(true));
    const piece = '#'.repeat(100_000);
    let pieces = 0;
    while (response.write(piece)) pieces += 1;
    pieces += 1;
    expect(response.writableLength).toBeGreaterThan(0);
    let hasDrained = false;
    response.once('drain', () => {
      hasDrained = true;
    });
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.toString('latin1').split('#').length - 1;
    });
    socket.resume();
    await waitFor(() => expect(hasDrained).toBe(true));
    response.end();
    await waitFor(() => expect(bytes).toBe(pieces * piece.length));
    await waitFor(() => expect(closed).toBe(1));
    expect(response.writableFinished).toBe(true);
    socket.destroy();
  });

  test('a client that leaves before it has read an answer has not got all of it', async () => {
    const socket = await open();
    socket.pause();
    socket.write(call('/v1/never', '{}') + call('/v1/echo', '{}'));
    await waitFor(() => expect(seen.length).toBe(1));
    const { response } = seen[0] as Exchange;
    response.writeHead(200, ['Content-Length', '20000000']).end('#'.repeat(20_000_000));
    expect(response.writableLength).toBeGreaterThan(0);
    socket.destroy();
    await waitFor(() => expect(closed).toBe(1));
    expect([response.destroyed, response.writableFinished]).toEqual([true, false]);
    expect(seen.length).toBe(1);
  });

  test('a client that leaves is noticed although a next call waits, which is not begun then', async () => {
    const socket = await open();
    socket.write(call('/v1/never', '{}') + call('/v1/echo', '{}'));
    await waitFor(() => expect(seen.length).toBe(1));
    socket.write('POST');
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.end();
    await waitFor(() => expect(closed).toBe(1));
    expect(seen.length).toBe(1);
  });

  test('nothing is begun behind the last answer of a connection', async () => {
    const socket = await open();
    socket.write(call('/v1/never', 'x'.repeat(20)).slice(0, -10));
    await waitFor(() => expect(seen.length).toBe(1));
    const { response } = seen[0] as Exchange;
    response.shouldKeepAlive = false;
    response.writeHead(200, ['Content-Length', '2']).end('{}');
    socket.write(`${'x'.repeat(10)}${call('/v1/echo', '{}')}`);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(seen.length).toBe(1);
  });

  test('a response that is over does nothing to the call after it', async () => {
    const socket = await open();
    socket.write(call('/v1/echo', '{}'));
    await waitFor(() => expect(closed).toBe(1));
    socket.write(call('/v1/never', '{}'));
    await waitFor(() => expect(seen.length).toBe(2));
    seen[0]?.response.destroy();
    seen[0]?.response.setTimeout(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([socket.destroyed, seen[1]?.response.destroyed]).toEqual([false, false]);
    socket.destroy();
  });

  test('a body that does not come in time is answered 408 and cut, as is a client that says nothing', async () => {
    const received = await Promise.all([
      sendRaw(edge.port, call('/v1/echo', 'x'.repeat(1_000)).slice(0, -900)),
      sendRaw(edge.port, ''),
    ]);
    expect(received.map(statusesIn)).toEqual([[408], [408]]);
    expect(received[0]).toContain('"code":408');
    expect(seen.map(isDirect)).toEqual([true]);
  });

  test('an answer that takes longer than a request may is not cut', async () => {
    const socket = await open();
    socket.write(call('/v1/never', '{}'));
    await waitFor(() => expect(seen.length).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(seen[0]?.response.destroyed).toBe(false);
    socket.destroy();
  });

  test('a drain closes it when it is idle, and after the answer that is under way', async () => {
    const idle = await open();
    const busy = await open();
    let received = '';
    busy.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    const ended = Promise.all([idle, busy].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    idle.resume().write(call('/v1/echo', '{}'));
    await waitFor(() => expect(closed).toBe(1));
    busy.write(call('/v1/open', '{}'));
    await waitFor(() => expect(received).toContain('data: 1'));
    const drained = edge.server.drain(60_000);
    seen[1]?.response.end('data: 2\n\n');
    await Promise.all([drained, ended]);
    expect(received).toContain('data: 2');
  });

  test('a header with a line end is never sent', async () => {
    const socket = await open();
    socket.write(call('/v1/never', '{}'));
    await waitFor(() => expect(seen.length).toBe(1));
    expect(() => seen[0]?.response.writeHead(200, ['X-A', 'a\r\nX-B: b'])).toThrow('X-A');
    socket.destroy();
  });
});
