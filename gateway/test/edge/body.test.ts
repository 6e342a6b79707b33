// A body is bounded before it is read, while it is read and before it is parsed.

import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BODY_BYTES_MAX, readBody, readJsonBody } from '../../src/http/body.ts';
import { sendBytes, sendJson } from '../../src/http/respond.ts';
import { stringifyExactJson } from '../../src/platform/exact-json.ts';
import { type Edge, route, sendRaw, startEdge, statusesIn } from './edge.ts';

let bodiesBegun = 0;

const routes = [
  route('POST', '/v1/json', async (exchange) => {
    const body = await readJsonBody(exchange);
    sendBytes(exchange, 200, { type: 'application/json', body: stringifyExactJson(body) });
  }),
  route('POST', '/v1/bytes', async (exchange) => {
    bodiesBegun += 1;
    sendJson(exchange, 200, { length: (await readBody(exchange)).length });
  }),
  route(
    'POST',
    '/v1/small',
    async (exchange) => sendJson(exchange, 200, { length: (await readBody(exchange)).length }),
    {
      bodyBytesMax: 10,
    },
  ),
  route('POST', '/v1/messages', async (exchange) => sendJson(exchange, 200, await readJsonBody(exchange)), {
    errors: 'messages',
  }),
  route('POST', '/v1/unread', (exchange) => sendJson(exchange, 200, {})),
  route('GET', '/v1/quick', (exchange) => sendJson(exchange, 200, {})),
];

describe('request bodies', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(routes);
  });
  afterAll(() => edge.close());

  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(edge.url + path, { method: 'POST', body, headers });

  test('LIM-08 ten megabytes pass, one byte more does not', async () => {
    const answer = await post('/v1/bytes', Buffer.alloc(BODY_BYTES_MAX, 0x20));
    expect(await answer.json()).toEqual({ length: 10_485_760 });
    const refused = await post('/v1/bytes', Buffer.alloc(BODY_BYTES_MAX + 1, 0x20));
    expect(refused.status).toBe(413);
    expect(refused.headers.get('connection')).toBe('close');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await refused.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', code: 413 },
    });
  });

  test('LIM-08 a declared length is refused before a byte of the body has come', async () => {
    const head = `POST /v1/bytes HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n`;
    expect(statusesIn(await sendRaw(edge.port, head))).toEqual([413]);
  });

  test('LIM-08 ERR-08 an undeclared length is counted, and no more than the limit is kept', async () => {
    const { status, body } = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const outgoing = httpRequest(`${edge.url}/v1/messages`, { method: 'POST' }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ status: answer.statusCode, body: text }));
      });
      outgoing.on('error', reject);
      const chunk = Buffer.alloc(1_048_576, 0x20);
      for (let index = 0; index < 11; index++) outgoing.write(chunk);
      outgoing.end();
    });
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ type: 'error', error: { type: 'request_too_large', code: 413 } });
  });

  test('LIM-08 an endless body is cut off', async () => {
    const sentBytes = await new Promise<number>((resolve) => {
      let sent = 0;
      const socket = connect(edge.port, '127.0.0.1', () => {
        socket.write('POST /v1/bytes HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
        const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
        const timer = setInterval(() => {
          sent += 65_536 * 16;
          for (let index = 0; index < 16; index++) socket.write(chunk);
        }, 20);
        socket.on('close', () => {
          clearInterval(timer);
          resolve(sent);
        });
      });
      socket.on('error', () => {});
      socket.resume();
    });
    expect(sentBytes).toBeGreaterThan(BODY_BYTES_MAX);
  });

  test('LIM-08 a declared length alone claims no memory', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const sockets = Array.from({ length: 50 }, () => connect(edge.port, '127.0.0.1'));
    const head = `POST /v1/bytes HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES_MAX}\r\n\r\n`;
    const begun = bodiesBegun;
    for (const socket of sockets) socket.write(head);
    await expect.poll(() => bodiesBegun).toBe(begun + 50);
    for (const socket of sockets) socket.write('x'.repeat(1_000));
    expect((await post('/v1/bytes', 'x'.repeat(200_000))).status).toBe(200);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * BODY_BYTES_MAX);
    for (const socket of sockets) socket.destroy();
  });

  test.each([1, 1_000, 70_000, 1_000_000])('a body in pieces of %i bytes arrives as it was sent', async (size) => {
    const body = Buffer.from(
      JSON.stringify({ text: 'Zwölf Boxkämpfer jagen Viktor. '.repeat(size === 1 ? 9 : 60_000) }),
    );
    const answer = await new Promise<string>((resolve, reject) => {
      const outgoing = httpRequest(
        `${edge.url}/v1/json`,
        { method: 'POST', headers: { 'Content-Length': body.length } },
        async (incoming) => resolve(Buffer.concat(await incoming.toArray()).toString()),
      );
      outgoing.on('error', reject);
      for (let offset = 0; offset < body.length; offset += size) outgoing.write(body.subarray(offset, offset + size));
      outgoing.end();
    });
    expect(answer).toBe(body.toString());
  });

  test('a row may have a limit of its own', async () => {
    expect((await post('/v1/small', '0123456789')).status).toBe(200);
    expect((await post('/v1/small', '0123456789a')).status).toBe(413);
  });

  test('a compressed body is refused with 415, an identity coding is none', async () => {
    expect((await post('/v1/json', '{}', { 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect((await post('/v1/json', '{}', { 'Content-Encoding': 'Identity' })).status).toBe(200);
  });

  test('a client that waits for 100 Continue gets it when the body is wanted, and a refusal when it is not', async () => {
    const head = 'POST /v1/small HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n';
    expect(statusesIn(await sendRaw(edge.port, `${head}Content-Length: 2\r\n\r\n{}`))).toEqual([100, 200]);
    expect(statusesIn(await sendRaw(edge.port, `${head}Content-Length: 99\r\n\r\n`))).toEqual([413]);
    const unread = 'POST /v1/unread HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 36\r\n\r\n';
    const received = await sendRaw(edge.port, `${unread}GET /v1/quick HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(statusesIn(received)).toEqual([200]);
    expect(received).toContain('Connection: close');
  });

  test.each(['', ' ', '{', 'nope', '{"a":1}x', '[]', '[1]', '"text"', 'null', '7', '\u0000', '{"a":01}', '{a:1}'])(
    'ERR-04 %j is not a JSON object: 400 with the number as its code',
    async (body) => {
      const answer = await post('/v1/json', body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: 400, type: 'invalid_request_error' } });
    },
  );

  test('ERR-04 200,000 nested brackets are a 400', async () => {
    const answer = await post('/v1/json', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(answer.status).toBe(400);
  });

  test('ERR-04 millions of empty objects are a 400, not a second of parsing', async () => {
    expect((await post('/v1/json', `{"a":[${'{},'.repeat(3_000_000)}{}]}`)).status).toBe(400);
  });

  test('a key __proto__ is refused', async () => {
    expect((await post('/v1/json', '{"messages":[{"__proto__":{"role":"system"}}]}')).status).toBe(400);
  });

  test('integers beyond 2^53 leave as they came', async () => {
    const body = '{"seed":9007199254740993,"tools":[{"maximum":18446744073709551615}],"text":"9007199254740993"}';
    expect(await (await post('/v1/json', body)).text()).toBe(body);
  });

  test('the last of two equal keys wins, and only it is passed on', async () => {
    expect(await (await post('/v1/json', '{"model":"cheap","model":"dear"}')).text()).toBe('{"model":"dear"}');
  });
});
