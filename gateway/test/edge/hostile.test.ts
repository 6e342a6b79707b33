// Bytes that no ordinary client would send: each must end in a refusal or a closed connection, never in a second answer
// or a stuck process.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBody } from '../../src/http/body.ts';
import { sendJson } from '../../src/http/respond.ts';
import { type Edge, route, sendRaw, startEdge, statusesIn } from './edge.ts';

const routes = [
  route('POST', '/v1/upload', async (exchange) => {
    const body = await readBody(exchange);
    sendJson(exchange, 200, { length: body.length });
  }),
  route('GET', '/v1/secret', (exchange) => sendJson(exchange, 200, { secret: true })),
];

describe('smuggling and malformed requests', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(routes);
  });
  afterAll(() => edge.close());

  const SECOND = 'GET /v1/secret HTTP/1.1\r\nHost: x\r\n\r\n';
  const LAST = SECOND.replace('Host: x', 'Host: x\r\nConnection: close');
  const head = (headers: string): string => `POST /v1/upload HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

  test.each([
    ['length and chunked together', `${head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${SECOND}`],
    ['chunked and length together', `${head('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n')}0\r\n\r\n${SECOND}`],
    ['two lengths', `${head('Content-Length: 0\r\nContent-Length: 44\r\n')}${SECOND}`],
    ['a list of lengths', `${head('Content-Length: 0, 0\r\n')}${SECOND}`],
    ['a signed length', `${head('Content-Length: +0\r\n')}${SECOND}`],
    ['an unknown transfer coding', `${head('Transfer-Encoding: xchunked\r\n')}${SECOND}`],
    ['chunked that is not last', `${head('Transfer-Encoding: chunked, identity\r\n')}${SECOND}`],
    ['a space before the colon', `${head('Content-Length : 0\r\n')}${SECOND}`],
    ['a bad chunk size', `${head('Transfer-Encoding: chunked\r\n')}zz\r\n${SECOND}`],
    [
      'a bare line feed as separator',
      'POST /v1/upload HTTP/1.1\nHost: x\nContent-Length: 0\n\nGET /v1/secret HTTP/1.1\nHost: x\n\n',
    ],
    ['a NUL in a header', `${head('X-A: a\u0000b\r\n')}${SECOND}`],
    ['a version of its own', `GET /v1/secret HTTP/9.9\r\nHost: x\r\n\r\n${SECOND}`],
    ['no host', `GET /v1/secret HTTP/1.1\r\n\r\n${SECOND}`],
  ])('%s: refused, and what follows is not taken for a request', async (_name, text) => {
    const received = await sendRaw(edge.port, text);
    expect(received).not.toContain('"secret":true');
    expect(statusesIn(received).filter((status) => status === 200)).toEqual([]);
  });

  test('a folded header does not become two', async () => {
    const received = await sendRaw(
      edge.port,
      `${head('X-A: a\r\n Content-Length: 44\r\nContent-Length: 0\r\n')}${LAST}`,
    );
    expect(statusesIn(received).length).toBeLessThanOrEqual(2);
    expect(received.match(/"secret":true/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('ERR-01 a malformed request is answered in the envelope, then the connection ends', async () => {
    const received = await sendRaw(edge.port, 'NONSENSE\r\n\r\n');
    expect(statusesIn(received)).toEqual([400]);
    expect(received).toMatch(/X-Request-Id: req-[0-9a-f]{24}/);
    expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n')))).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', code: 400 },
    });
  });

  test('headers over 16 KB are refused with 431', async () => {
    const received = await sendRaw(
      edge.port,
      `GET /v1/secret HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`,
    );
    expect(statusesIn(received)).toEqual([431]);
    expect(received).toContain('"code":431');
  });

  test('a connection that a client drops at any point leaves the edge serving', async () => {
    const request = `${head('Content-Length: 10\r\n')}12345`;
    for (const length of [1, 20, request.length - 3, request.length]) {
      await new Promise<void>((resolve) => {
        const socket = connect(edge.port, '127.0.0.1', () =>
          socket.write(request.slice(0, length), () => socket.destroy()),
        );
        socket.on('close', () => resolve());
      });
    }
    expect((await fetch(`${edge.url}/v1/secret`)).status).toBe(200);
  });
});

describe('slow clients', () => {
  test('a head or a body that does not arrive in time is answered 408 and cut', async () => {
    const edge = await startEdge(routes, { headersTimeoutMs: 200, requestTimeoutMs: 400 });
    const slowHead = await sendRaw(edge.port, 'GET /v1/secret HTTP/1.1\r\nHost:');
    expect(statusesIn(slowHead)).toEqual([408]);
    const slowBody = await sendRaw(edge.port, 'POST /v1/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n123');
    expect(statusesIn(slowBody)).toEqual([408]);
    expect((await fetch(`${edge.url}/v1/secret`)).status).toBe(200);
    await edge.close();
  });
});
