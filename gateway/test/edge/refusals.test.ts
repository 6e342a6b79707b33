// Refusals for lack of time: the prepared answer says the same as the usual one, and the connection goes on after a
// body that was not read.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../../src/http/respond.ts';
import { type Edge, route, sendRaw, startEdge, statusesIn } from './edge.ts';

const BODY = JSON.stringify({ content: 'x'.repeat(200_000) });
let isOverloaded = true;
let refused = 0;
const finished: string[] = [];
let edge: Edge;

beforeAll(async () => {
  const load = {
    get isOverloaded(): boolean {
      return isOverloaded;
    },
    refuses(): boolean {
      refused += 1;
      return true;
    },
  };
  const handle = (): never => {
    throw new Error('nothing is taken');
  };
  const routes = [
    route('POST', '/v1/chat/completions', handle, { access: 'model' }),
    route('POST', '/v1/messages', handle, { access: 'model', errors: 'messages' }),
    route('GET', '/v1/key', (exchange) => sendJson(exchange, 200, { served: true })),
  ];
  edge = await startEdge(routes, { load, onFinished: (path, status) => finished.push(`${path} ${status}`) });
});

afterAll(() => edge.close());

const post = (path: string, connection = 'keep-alive', body = BODY): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Without the parts that differ from answer to answer. */
const plain = (received: string): string =>
  received.replaceAll(/req-[0-9a-f]{24}/g, 'req').replaceAll(/^Date: .* GMT$/gm, 'Date');

/** Its lines in any order, the body last. */
const linesOf = (received: string): readonly string[] => plain(received).split('\r\n').sort();

test.each([
  ['/v1/chat/completions', 503],
  ['/api/v1/chat/completions', 503],
  ['/v1/messages', 529],
])('ERR-11 a refusal of %s is the usual one, written before', async (path, status) => {
  const isWhole = (received: string): boolean => received.endsWith('}');
  isOverloaded = true;
  const prepared = await sendRaw(edge.port, post(path), isWhole);
  isOverloaded = false;
  const usual = await sendRaw(edge.port, post(path), isWhole);
  expect(linesOf(prepared)).toEqual(linesOf(usual));
  expect(prepared).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(prepared).toMatch(/^Retry-After: 1$/m);
  expect(prepared).toMatch(/^X-Request-Id: req-[0-9a-f]{24}$/m);
  const ids = new Set(`${prepared}${usual}`.match(/req-[0-9a-f]{24}/g));
  expect(ids.size).toBe(2);
});

test('ERR-11 each call is asked for once and counted, and what follows on the connection is served', async () => {
  isOverloaded = true;
  const [askedBefore, finishedBefore] = [refused, finished.length];
  const last = 'GET /v1/key HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const received = await sendRaw(edge.port, post('/v1/messages').repeat(3) + post('/v1/chat/completions') + last);
  expect(statusesIn(received)).toEqual([529, 529, 529, 503, 200]);
  expect(received).toContain('{"served":true}');
  expect(refused - askedBefore).toBe(4);
  await expect.poll(() => finished.length - finishedBefore).toBe(5);
  expect(finished.slice(finishedBefore)).toContain('/v1/messages 529');
});

test('a client that wants the connection closed has it closed, and one that waits for 100 Continue need not send', async () => {
  isOverloaded = true;
  const closed = await sendRaw(edge.port, post('/v1/messages', 'close'));
  expect(closed).toMatch(/^Connection: close$/m);
  const head = 'POST /v1/messages HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n';
  expect(await sendRaw(edge.port, head)).toMatch(/^HTTP\/1\.1 529 /);
});
