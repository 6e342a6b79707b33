// The edge keeps its promises whatever a handler does: every answer has its id and CORS headers, every failure the one
// envelope, and nothing internal gets out.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerHello, refuseUpgrade } from '../../src/endpoints/system/hello.ts';
import { readMetrics } from '../../src/endpoints/system/metrics.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { sendBytes, sendEmpty, sendJson } from '../../src/http/respond.ts';
import { startEventStream } from '../../src/http/sse.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type Edge, route, sendRaw, startEdge, statusesIn } from './edge.ts';

const SECRET = 'postgres://user:hunter2@10.0.0.5/db';

const throwing = (error: unknown) => () => {
  throw error;
};

/** Of the client that waits for the answer that never comes. */
let leave = (): void => {};

const routes = [
  route('GET', '/v1/echo', (exchange) =>
    sendJson(exchange, 200, { query: exchange.queryText, path: exchange.route.path }),
  ),
  route('GET', '/v1/models/:slug', (exchange) => sendJson(exchange, 200, { slug: exchange.params.slug })),
  route('DELETE', '/v1/models/:slug', (exchange) => sendEmpty(exchange, 204)),
  route('GET', '/v1/bytes', (exchange) => sendBytes(exchange, 200, { type: 'audio/mpeg', body: Buffer.from([1, 2]) })),
  route('GET', '/v1/responses', refuseUpgrade),
  route('HEAD', '/', answerHello),
  route('HEAD', '/api/hello', answerHello),
  route('GET', '/api/orgs/:id', (exchange) => sendJson(exchange, 200, {})),
  route('GET', '/v1/fault', throwing(new Error(`connect failed: ${SECRET}`))),
  route('GET', '/v1/late-fault', async () => {
    await Promise.resolve();
    throw new TypeError(SECRET);
  }),
  route('GET', '/v1/odd-fault', () => Promise.reject(SECRET)),
  route('GET', '/v1/refused', throwing(new ApiError('insufficient_credits', 'Top up.', { detail: SECRET }))),
  route(
    'GET',
    '/v1/wait',
    throwing(
      new ApiError('http_503', 'Later.', { retryAfterSeconds: 7, isTerminal: true, headers: { 'X-More': '1' } }),
    ),
  ),
  route('GET', '/v1/bad-header', throwing(new ApiError('http_503', 'Later.', { headers: { 'X-More': 'a\r\nb' } }))),
  route('GET', '/v1/never', () => {
    leave();
    return new Promise<void>(() => {});
  }),
  route('GET', '/v1/added', (exchange) => {
    exchange.headers.push('X-RateLimit-Limit', '20');
    throw new ApiError('insufficient_credits', 'Top up.');
  }),
  route('POST', '/v1/messages', throwing(new ApiError('insufficient_credits', 'Top up.')), { errors: 'messages' }),
  route('GET', '/v1/messages/ok', (exchange) => sendJson(exchange, 200, {}), { errors: 'messages' }),
  route('GET', '/v1/stream', async (exchange) => {
    startEventStream(exchange, ['X-Generation-Id', 'gen-1']);
    exchange.response.write('data: 1\n\n');
    exchange.response.end();
  }),
  route('GET', '/v1/half', async (exchange) => {
    exchange.response.writeHead(200, [...exchange.headers, 'Content-Length', '100']);
    exchange.response.write('{"half":');
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('after the head');
  }),
];

describe('the edge', () => {
  let edge: Edge;
  const finished: string[] = [];
  beforeAll(async () => {
    edge = await startEdge(routes, { onFinished: (path, status) => finished.push(`${path} ${status}`) });
  });
  afterAll(() => edge.close());

  const get = (path: string, init?: RequestInit): Promise<Response> => fetch(edge.url + path, init);

  test('LIM-04 every answer has a request id of its own', async () => {
    const ids = await Promise.all(
      ['/v1/echo', '/v1/nothing', '/v1/fault'].map(async (path) => (await get(path)).headers.get('x-request-id')),
    );
    for (const id of ids) expect(id).toMatch(/^req-[0-9a-f]{24}$/);
    expect(new Set(ids).size).toBe(3);
  });

  test('VER-01 VER-02 the legacy prefix and a doubled prefix reach the same route, query untouched', async () => {
    for (const prefix of ['/v1', '/api/v1', '/v1/v1', '/api/v1/v1']) {
      const answer = await get(`${prefix}/echo?a=%2F&b=//..`);
      expect(await answer.json()).toEqual({ query: 'a=%2F&b=//..', path: '/v1/echo' });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect([...answer.headers.keys()].filter((name) => name.includes('version'))).toEqual([]);
    }
    const pinned = await get('/v1/echo', { headers: { 'OpenAI-Version': '2020-10-01', 'anthropic-version': 'none' } });
    expect(pinned.status).toBe(200);
  });

  test('VER-03 a path of the site host is not under /v1 and carries no CORS headers', async () => {
    expect((await get('/api/orgs/org-1')).headers.get('access-control-allow-origin')).toBeNull();
    expect((await get('/v1/orgs/org-1')).status).toBe(404);
  });

  test('VER-04 answers, errors, byte and event streams under /v1 may all be read by any site', async () => {
    for (const path of ['/v1/echo', '/v1/bytes', '/v1/stream', '/v1/nothing', '/v1/fault', '/v1/refused', '/v1//x']) {
      const { headers } = await get(path);
      expect(headers.get('access-control-allow-origin'), path).toBe('*');
      expect(headers.get('access-control-allow-credentials'), path).toBeNull();
      for (const name of [
        'X-Request-Id',
        'X-Generation-Id',
        'X-RateLimit-Remaining',
        'Retry-After',
        'x-tollgate-free-fallback',
        'X-Tollgate-Ignored-Fields',
      ]) {
        expect(headers.get('access-control-expose-headers'), path).toContain(name);
      }
    }
  });

  test('VER-04 a preflight is answered 204 and grants the headers that it names', async () => {
    const answer = await get('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://example.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,x-stainless-lang',
      },
    });
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-lang');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    const bare = await get('/api/v1/key', { method: 'OPTIONS' });
    expect(bare.headers.get('access-control-allow-headers')).toContain('Authorization');
  });

  test('ERR-01 ERR-02 ERR-07 an unknown path is a 404 in the envelope with the number as its code', async () => {
    const answer = await get('/v1/nothing');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await answer.json()).toEqual({
      error: { message: expect.any(String), type: 'not_found_error', code: 404 },
    });
  });

  test('a known path with another method is 405 and names what it allows', async () => {
    const answer = await get('/v1/models/x', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, DELETE, HEAD');
    expect(await answer.json()).toMatchObject({ error: { code: 405 } });
  });

  test('a slash in a path parameter arrives encoded and is handed over decoded', async () => {
    expect(await (await get('/v1/models/openai%2Fgpt-4o')).json()).toEqual({ slug: 'openai/gpt-4o' });
    expect((await get('/v1%2Fmodels/x')).status).toBe(404);
    expect((await get('/v1/%6dodels/x')).status).toBe(404);
    expect((await get('/v1/models/x', { method: 'DELETE' })).status).toBe(204);
  });

  test('targets that could be read in two ways are refused with 400', async () => {
    for (const target of [
      '/v1//echo',
      '/v1/../v1/echo',
      '/v1/./echo',
      '/v1\\echo',
      'http://127.0.0.1/v1/echo',
      '/v1/echo%00',
    ]) {
      const received = await sendRaw(edge.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(statusesIn(received), target).toEqual([400]);
      expect(received, target).toContain('"code":400');
    }
  });

  test('ERR-01 a NUL in a query is refused by the name of its parameter, and what Node would refuse has a body too', async () => {
    for (const [query, name] of [
      ['id=%00', 'id'],
      ['a=1&model=x%00y&b=2', 'model'],
      ['%00', 'query'],
    ]) {
      const answer = await get(`/v1/echo?${query}`);
      expect([answer.status, await answer.text()], query).toEqual([400, expect.stringContaining(`${name}: must not`)]);
    }
    const without = await sendRaw(edge.port, 'GET /v1/echo HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect([statusesIn(without), without]).toEqual([[400], expect.stringContaining('"code":400')]);
    const odd = 'GET /nothing HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nConnection: close\r\n\r\n';
    const expecting = await sendRaw(edge.port, odd);
    expect([statusesIn(expecting), expecting]).toEqual([[404], expect.stringContaining('"code":404')]);
  });

  test('two Host headers, or a transfer coding beside chunked, are refused and end the connection', async () => {
    const head = 'POST /v1/messages HTTP/1.1\r\n';
    for (const lines of [
      'Host: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n{}',
      'Host: x\r\nhOST: x\r\nContent-Length: 2\r\n\r\n{}',
      'Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      'Host: x\r\nTransfer-Encoding: identity\r\n\r\n{}',
      'Host: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ]) {
      // The bytes that follow on the connection are not read as another request.
      const received = await sendRaw(edge.port, `${head}${lines}GET /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(statusesIn(received), lines).toEqual([400]);
    }
    const chunked = 'Host: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
    expect(statusesIn(await sendRaw(edge.port, head + chunked))).toEqual([402]);
  });

  test('a slash at the end of a path is the same route', async () => {
    expect(await (await get('/v1/echo/?a=1')).json()).toEqual({ query: 'a=1', path: '/v1/echo' });
    expect(await (await get('/v1/models/openai%2Fx/')).json()).toEqual({ slug: 'openai/x' });
    expect((await get('/api/v1/echo/')).status).toBe(200);
    expect((await get('/v1/nothing/')).status).toBe(404);
    expect((await get('/v1/echo/', { method: 'POST' })).status).toBe(405);
    expect((await get('/v1/echo//')).status).toBe(400);
  });

  test('metrics need the token wherever the gateway can be reached from elsewhere', async () => {
    const operatorGate = {
      checkToken: ({ request }: Exchange) => {
        if (request.headers.authorization !== 'Bearer token') throw new ApiError('http_401', 'The token is needed.');
      },
    };
    const services = { operatorGate, clientIpHeader: null, metrics: createMetrics() };
    const hosts = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', '192.0.2.7', 'gateway.example'];
    const open = await startEdge(
      hosts.map((listenHost, index) => route('GET', `/metrics/${index}`, readMetrics({ ...services, listenHost }))),
    );
    const statuses = await Promise.all(
      hosts.map(async (_, index) => (await fetch(`${open.url}/metrics/${index}`)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 401, 401, 401, 401]);
    const headers = { Authorization: 'Bearer token' };
    expect((await fetch(`${open.url}/metrics/3`, { headers })).status).toBe(200);
    await open.close();
  });

  test('connectivity checks and a WebSocket attempt get the answers that clients go on from', async () => {
    for (const path of ['/', '/api/hello']) expect((await get(path, { method: 'HEAD' })).status).toBe(200);
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGVzdA==\r\n';
    const asking = `GET /v1/responses HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`;
    const received = await sendRaw(edge.port, asking, (text) => text.includes('"code":426'));
    expect(statusesIn(received)).toEqual([426]);
    expect(received).toContain('"code":426');
    expect((await get('/v1/responses')).status).toBe(405);
  });

  test('HEAD is answered as GET is, without the body', async () => {
    const [whole, head] = [await get('/v1/models/a'), await get('/v1/models/a', { method: 'HEAD' })];
    expect([head.status, head.headers.get('content-length')]).toEqual([200, whole.headers.get('content-length')]);
    expect(await head.text()).toBe('');
    expect((await get('/v1/messages', { method: 'HEAD' })).status).toBe(405);
    // The connection goes on, so nothing of a stream was sent either.
    expect(await (await get('/v1/stream', { method: 'HEAD' })).text()).toBe('');
    expect((await get('/v1/echo')).status).toBe(200);
  });

  test('ERR-09 an unexpected fault is a bare 500: no stack, no text of the fault, but all of it in the log', async () => {
    for (const path of ['/v1/fault', '/v1/late-fault', '/v1/odd-fault']) {
      const answer = await get(path);
      expect(answer.status).toBe(500);
      const text = await answer.text();
      expect(JSON.parse(text)).toEqual({ error: { message: expect.any(String), type: 'api_error', code: 500 } });
      expect(text).not.toMatch(/hunter2|postgres|stack|TypeError/);
    }
    const logged = edge.log.filter((line) => line.level === 'error').map((line) => line.fields.error);
    expect(logged.some((error) => error instanceof Error && error.message.includes(SECRET))).toBe(true);
  });

  test('ERR-02 LIM-07 a refusal keeps its string code, its detail stays inside, and SDKs are told not to repeat it', async () => {
    const answer = await get('/v1/refused');
    expect(answer.status).toBe(402);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const text = await answer.text();
    expect(JSON.parse(text)).toEqual({
      error: { message: 'Top up.', type: 'billing_error', code: 'insufficient_credits' },
    });
    expect(text).not.toContain('hunter2');
    expect((await get('/v1/added')).headers.get('x-ratelimit-limit')).toBeNull();
  });

  test('ERR-14 a known wait is sent as Retry-After, and a terminal refusal says so', async () => {
    const { headers } = await get('/v1/wait');
    expect(headers.get('retry-after')).toBe('7');
    expect(headers.get('x-should-retry')).toBe('false');
    expect(headers.get('x-more')).toBe('1');
  });

  test('MSGS-10 the Messages dialect has its own envelope and request-id header', async () => {
    const answer = await get('/v1/messages', { method: 'POST', body: '{}' });
    expect(answer.status).toBe(402);
    expect(await answer.json()).toEqual({
      type: 'error',
      error: { type: 'billing_error', message: 'Top up.', code: 'insufficient_credits' },
    });
    expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
    const good = await get('/v1/messages/ok');
    expect(good.headers.get('request-id')).toBe(good.headers.get('x-request-id'));
  });

  test('a failure after the head has been sent cuts the connection, so that half an answer is not taken for a whole', async () => {
    const received = await sendRaw(edge.port, 'GET /v1/half HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(statusesIn(received)).toEqual([200]);
    expect(received.endsWith('{"half":')).toBe(true);
  });

  test('an event stream carries the headers that keep proxies from holding it back', async () => {
    const answer = await get('/v1/stream');
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(answer.headers.get('x-generation-id')).toBe('gen-1');
    expect(await answer.text()).toBe('data: 1\n\n');
  });

  test('a fault in the headers of an error cuts that connection and nothing else', async () => {
    await expect(get('/v1/bad-header')).rejects.toThrow();
    expect((await get('/v1/echo')).status).toBe(200);
  });

  test('a client that leaves before its answer is reported as such', async () => {
    finished.length = 0;
    const leaving = new AbortController();
    leave = () => leaving.abort();
    await expect(get('/v1/never', { signal: leaving.signal })).rejects.toThrow();
    await expect.poll(() => finished).toEqual(['/v1/never 499']);
  });

  test('finished answers are reported by the pattern of their route', async () => {
    finished.length = 0;
    await (await get('/v1/models/some-slug')).text();
    await (await get('/v1/no-such-thing')).text();
    await expect.poll(() => finished).toEqual(['/v1/models/:slug 200', '(unmatched) 404']);
  });
});
