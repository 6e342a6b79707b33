// Every head that is read here is read as Node's parser reads it, whatever stood in the heads before it; what Node
// refuses is never read here.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestHeadReader } from './request-head.ts';

const PLAIN = ['Host: a', 'Content-Type: application/json', 'Content-Length: 2'];

const headOf = (lines: readonly string[], path = '/v1/x'): Buffer =>
  Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`, 'latin1');

const readOnce = (lines: readonly string[]) => new RequestHeadReader().read(headOf(lines));

const server = createServer((request, response) => {
  heard.push(request.headers);
  request.resume().on('end', () => response.end());
});
const heard: IncomingHttpHeaders[] = [];

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

/** What Node makes of a head; null where it refuses. */
function readByNode(head: Buffer): Promise<IncomingHttpHeaders | null> {
  heard.length = 0;
  return new Promise((resolve) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write(Buffer.concat([head, Buffer.from('{}')]));
    });
    const finish = (): void => {
      socket.destroy();
      resolve(heard[0] ?? null);
    };
    socket.on('data', finish).on('close', finish).on('error', finish);
  });
}

test('an ordinary head gives its path, its headers in lower case, and where the body is', () => {
  const head = headOf([...PLAIN, 'Authorization:  Bearer x\t', 'X-Empty:']);
  expect(new RequestHeadReader().read(Buffer.concat([head, Buffer.from('{}')]))).toEqual({
    path: '/v1/x',
    headers: {
      host: 'a',
      'content-type': 'application/json',
      'content-length': '2',
      authorization: 'Bearer x',
      'x-empty': '',
    },
    bodyBytes: 2,
    end: head.length,
  });
});

test.each([
  ['no headers', []],
  ['no host', PLAIN.slice(1)],
  ['an empty host', ['Host:', ...PLAIN.slice(1)]],
  ['two hosts', ['Host: b', ...PLAIN]],
  ['no length', PLAIN.slice(0, 2)],
  ['no body', [...PLAIN.slice(0, 2), 'Content-Length: 0']],
  ['two lengths', [...PLAIN, 'content-length: 2']],
  ['a signed length', [...PLAIN.slice(0, 2), 'Content-Length: +2']],
  ['a length with zeros', [...PLAIN.slice(0, 2), 'Content-Length: 02']],
  ['a hexadecimal length', [...PLAIN.slice(0, 2), 'Content-Length: 0x2']],
  ['a list of lengths', [...PLAIN.slice(0, 2), 'Content-Length: 2, 2']],
  ['a length with a tab behind it', [...PLAIN.slice(0, 2), 'Content-Length: 2\t ']],
  ['a length with a blank that is none', [...PLAIN.slice(0, 2), 'Content-Length: \xa02']],
  ['a header that is a list for Node', [...PLAIN, 'Set-Cookie: a=b']],
  ['a length beyond all bounds', [...PLAIN.slice(0, 2), 'Content-Length: 99999999999999999999']],
  ['chunks', [...PLAIN.slice(0, 2), 'Transfer-Encoding: chunked']],
  ['a length and chunks', [...PLAIN, 'Transfer-Encoding: chunked']],
  ['an expectation', [...PLAIN, 'Expect: 100-continue']],
  ['an upgrade', [...PLAIN, 'Upgrade: h2c', 'Connection: upgrade']],
  ['the last request', [...PLAIN, 'Connection: close']],
  ['options of a connection', [...PLAIN, 'Connection: keep-alive, x']],
  ['a compressed body', [...PLAIN, 'Content-Encoding: gzip']],
  ['a form', ['Host: a', 'Content-Type: multipart/form-data; boundary=a', 'Content-Length: 2']],
  ['another type', ['Host: a', 'Content-Type: application/json-lines', 'Content-Length: 2']],
  ['no type', ['Host: a', 'Content-Length: 2']],
  ['a header twice', [...PLAIN, 'X-A: 1', 'x-a: 1']],
  ['a folded line', [...PLAIN, 'X-A: 1', ' Y: 2']],
  ['a space before the colon', [...PLAIN, 'X-A : 1']],
  ['no colon', [...PLAIN, 'X-A']],
  ['no name', [...PLAIN, ': 1']],
  ['a NUL', [...PLAIN, 'X-A: a\0b']],
  ['a bare line feed', [...PLAIN, 'X-A: a\nX-B: b']],
  ['a bare carriage return', [...PLAIN, 'X-A: a\rX-B: b']],
  ['a name that is no property', [...PLAIN, '__proto__: a']],
  ['very many lines', [...PLAIN, ...Array.from({ length: 46 }, (_, index) => `X-${index}: 1`)]],
  ['too long', [...PLAIN, `X-A: ${'a'.repeat(16_384)}`]],
])('%s is left to Node', (_name, lines) => {
  expect(readOnce(lines)).toBeNull();
  // Also where the head before it has known lines.
  const reader = new RequestHeadReader();
  expect(reader.read(headOf(PLAIN))).not.toBeNull();
  expect(reader.read(headOf(lines))).toBeNull();
  expect(reader.read(headOf(PLAIN))?.bodyBytes).toBe(2);
});

test.each([
  ['GET /v1/x HTTP/1.1'],
  ['post /v1/x HTTP/1.1'],
  ['POST /v1/x HTTP/1.0'],
  ['POST /v1/x HTTP/1.1 '],
  ['POST  HTTP/1.1'],
  ['POST HTTP/1.1'],
  ['POST /v1/x'],
  ['\r\nPOST /v1/x HTTP/1.1'],
])('%s is left to Node, or leads nowhere', (line) => {
  const head = new RequestHeadReader().read(Buffer.from(`${line}\r\n${PLAIN.join('\r\n')}\r\n\r\n`));
  expect(head === null || head.path === '').toBe(true);
});

test('a head that has not come whole is left to Node, wherever it ends', () => {
  const head = headOf(PLAIN);
  for (let end = 0; end < head.length; end += 1) {
    expect(new RequestHeadReader().read(head.subarray(0, end))).toBeNull();
  }
});

const letters = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('X-A: 1', 'X-A: 22', 'x-b:\t\xa0 c ', 'X-C:', 'Accept: */*', 'X-D: a:b', 'X-E: \xe9'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('Connection: keep-alive', 'Connection: Keep-Alive', 'Keep-Alive: timeout=5'),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('X-F', 'x_g', "!#$%&'*+.^`|~"), fc.string({ unit: letters, maxLength: 6 }))
      .map((it) => it.join(':')),
  },
  { weight: 1, arbitrary: fc.string({ unit: letters, minLength: 1, maxLength: 8 }) },
);
const length = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('Content-Length: 2', 'content-length:2', 'Content-Length:  2 ') },
  {
    weight: 1,
    arbitrary: fc
      .tuple(letters, fc.constantFrom('2', '02', '+2', '2, 2', '0x2'), letters)
      .map((it) => `Content-Length:${it.join('')}`),
  },
);
const heads = fc.array(
  fc.tuple(fc.array(line, { maxLength: 4 }), fc.nat({ max: 3 }), length).map(([extra, place, length]) => {
    const lines = ['Host: a', 'Content-Type: application/json', length];
    return headOf([...lines.slice(0, place), ...extra, ...lines.slice(place)]);
  }),
  { minLength: 1, maxLength: 4 },
);

test('what is read here is what Node reads, whatever came before it on the connection', async () => {
  await fc.assert(
    fc.asyncProperty(heads, async (sent) => {
      const reader = new RequestHeadReader();
      for (const head of sent) {
        const read = reader.read(head);
        expect(read).toEqual(new RequestHeadReader().read(head));
        if (read === null) continue;
        expect(read.headers).toEqual(await readByNode(head));
        expect(read.end).toBe(head.length);
      }
    }),
    { numRuns: 300 },
  );
});
