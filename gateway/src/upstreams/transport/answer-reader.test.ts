// The bytes of answers, divided in every way, with Node's own parser as the judge of what is one.

import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MalformedAnswer } from './answer-headers.ts';
import { AnswerReader } from './answer-reader.ts';

type Heard = Readonly<{
  status: number | null;
  body: string;
  /** How many pieces the body came in. */
  pieces: number;
  outcome: 'complete' | 'incomplete' | 'malformed';
  /** Bytes after the answer. */
  left: number;
}>;

function read(reads: readonly Buffer[], isClosed = false): Heard {
  let status: number | null = null;
  const pieces: string[] = [];
  const reader = new AnswerReader({
    onHead: (head) => {
      status = head.status;
    },
    onBody: (piece) => pieces.push(piece.toString('latin1')),
  });
  const heard = (outcome: Heard['outcome'], left = 0): Heard => ({
    status,
    body: pieces.join(''),
    pieces: pieces.length,
    outcome,
    left,
  });
  // What a read brought has other contents afterwards.
  const shared = Buffer.alloc(70_000, '\r\n\r\n0\r\n');
  let left = reads.reduce((sum, bytes) => sum + bytes.length, 0);
  for (const bytes of reads) {
    bytes.copy(shared);
    try {
      const used = reader.read(shared, bytes.length);
      shared.fill('\r\n\r\n0\r\n');
      if (used !== null) return heard('complete', left - used);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedAnswer);
      return heard('malformed');
    }
    left -= bytes.length;
  }
  return heard(isClosed && reader.end() ? 'complete' : 'incomplete');
}

const whole = (text: string, isClosed = false): Heard => read([Buffer.from(text, 'latin1')], isClosed);
const byBytes = (text: string): Heard => read([...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte])));

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test('chunks of one read are one piece, and their extensions and trailers are left out', () => {
  const text = `${CHUNKED}5;name="a b"\r\nhello\r\n0A \r\n, you two.\r\n0\r\nDigest: x\r\nMore: y\r\n\r\n`;
  expect(whole(text)).toEqual({ status: 200, body: 'hello, you two.', pieces: 1, outcome: 'complete', left: 0 });
  expect(byBytes(text)).toMatchObject({ body: 'hello, you two.', outcome: 'complete', left: 0 });
});

test('a body with a length, without one, and none at all', () => {
  expect(whole('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello')).toMatchObject({ body: 'hello', left: 0 });
  expect(whole('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell')).toMatchObject({ outcome: 'incomplete' });
  expect(whole('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).toMatchObject({ pieces: 0, outcome: 'complete' });
  expect(whole('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({ pieces: 0, outcome: 'complete' });
  expect(whole('HTTP/1.1 200 OK\r\n\r\nhello')).toMatchObject({ body: 'hello', outcome: 'incomplete' });
  expect(whole('HTTP/1.1 200 OK\r\n\r\nhello', true)).toMatchObject({ body: 'hello', outcome: 'complete' });
});

test('the end of the connection completes nothing that says how long it is', () => {
  expect(whole('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell', true)).toMatchObject({ outcome: 'incomplete' });
  expect(whole(`${CHUNKED}5\r\nhello\r\n`, true)).toMatchObject({ body: 'hello', outcome: 'incomplete' });
  expect(whole(`${CHUNKED}5\r\nhello\r\n0\r\n`, true)).toMatchObject({ outcome: 'incomplete' });
  expect(whole('HTTP/1.1 200 OK\r\n', true)).toMatchObject({ status: null, outcome: 'incomplete' });
});

test('heads that only say that the call goes on come before the answer', () => {
  const text =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 201 Made\r\ncontent-length: 2\r\n\r\nok';
  expect(whole(text)).toMatchObject({ status: 201, body: 'ok', outcome: 'complete', left: 0 });
  expect(byBytes(text)).toMatchObject({ status: 201, body: 'ok', outcome: 'complete', left: 0 });
  expect(whole('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n').outcome).toBe('malformed');
});

test('bytes after an answer are told, and not taken for more of it', () => {
  expect(whole('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n').left).toBe(17);
  expect(whole(`${CHUNKED}2\r\nok\r\n0\r\n\r\nmore`)).toMatchObject({ body: 'ok', outcome: 'complete', left: 4 });
});

test('one connection has many answers, one after another', () => {
  const bodies: string[] = [];
  const reader = new AnswerReader({ onHead: () => {}, onBody: (piece) => bodies.push(piece.toString()) });
  for (let turn = 0; turn < 3; turn += 1) {
    for (const text of ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', `${CHUNKED}2\r\nno\r\n0\r\n\r\n`]) {
      expect(reader.read(Buffer.from(text), text.length)).toBe(text.length);
    }
  }
  expect(bodies.join('')).toBe('oknooknookno');
});

test.each([
  ['a chunk without a size', '\r\nhello'],
  ['a size that is no number', 'xyz\r\n'],
  ['a size with a sign', '+5\r\nhello\r\n'],
  ['a size with a prefix', '0x5\r\nhello\r\n'],
  ['two sizes', '5 6\r\nhello\r\n'],
  ['a size with a blank that is none', '5\xa0\r\nhello\r\n'],
  ['an extension with a NUL', '5;a=\0\r\nhello\r\n'],
  ['a size beyond all numbers', `${'f'.repeat(20)}\r\n`],
  ['a size that ends with a line feed', '5\nhello\r\n'],
  ['a size line that ends with a carriage return alone', '5\rhello\r\n'],
  ['an extension with a line feed', '5;a=b\nhello\r\n'],
  ['an extension without an end', `5;${'a'.repeat(2_000)}`],
  ['a chunk that is longer than it says', '5\r\nhello!\r\n'],
  ['a chunk that ends with a line feed', '5\r\nhello\n0\r\n\r\n'],
  ['trailers with line feeds', '0\r\na: b\n\n'],
  ['trailers without an end', `0\r\n${'a: b\r\n'.repeat(5_000)}`],
])('refuses %s, and hands on what came before it', (_, body) => {
  expect(whole(`${CHUNKED}3\r\none\r\n${body}`)).toMatchObject({
    body: expect.stringMatching(/^one/),
    outcome: 'malformed',
  });
  expect(byBytes(`${CHUNKED}3\r\none\r\n${body}`).outcome).toBe('malformed');
});

test('a head without an end is not kept for ever', () => {
  expect(whole(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`).outcome).toBe('malformed');
  const drops = Array.from({ length: 400 }, () => Buffer.from(`x: ${'a'.repeat(45)}\r\n`));
  expect(read([Buffer.from('HTTP/1.1 200 OK\r\n'), ...drops]).outcome).toBe('malformed');
});

const tokens = fc.constantFrom('connection: close', 'x-any: thing', 'Content-Type: text/event-stream', 'date: today');
const sized = fc.tuple(fc.array(tokens), fc.string({ maxLength: 300 })).map(([lines, text]) => {
  const body = Buffer.from(text).toString('latin1');
  return `HTTP/1.1 200 OK\r\n${[...lines, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`;
});
const chunked = fc
  .tuple(fc.array(tokens), fc.array(fc.string({ minLength: 1, maxLength: 60 })))
  .map(([lines, texts]) => {
    const chunks = texts
      .map((text) => Buffer.from(text).toString('latin1'))
      .map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
    return `HTTP/1.1 200 OK\r\n${[...lines, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunks.join('')}0\r\n\r\n`;
  });
const answers = fc.oneof(sized, chunked);

/** As Node's own client takes it. */
async function judge(text: string): Promise<Pick<Heard, 'body'> | null> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(text, 'latin1')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const judged = await new Promise<Pick<Heard, 'body'> | null>((resolve) => {
    const asked = request({ port, host: '127.0.0.1', agent: false }, (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('data', (piece: string) => {
        body += piece;
      });
      response
        .on('end', () => resolve({ body }))
        .on('error', () => resolve(null))
        .on('aborted', () => resolve(null));
    });
    asked.on('error', () => resolve(null)).end();
  });
  server.close();
  return judged;
}

test('an answer is the same however its bytes are divided', () => {
  fc.assert(
    fc.property(answers, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
      const bytes = Buffer.from(text, 'latin1');
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      const reads = places
        .slice(1)
        .map((end, index) => bytes.subarray(places[index], end))
        .filter(({ length }) => length > 0);
      const { pieces: _, ...divided } = read(reads);
      const { pieces: __, ...once } = whole(text);
      expect(divided).toEqual(once);
      expect(once).toMatchObject({ outcome: 'complete', left: 0 });
    }),
  );
});

/** What may stand around the values that say how long a body is; some of it changes them for one of the two parsers. */
const blank = fc.constantFrom('', ' ', '  ', '\t', '\xa0', '\x85', ',');
const oddlyFramed = fc
  .tuple(answers, blank, blank, fc.constantFrom('200 OK', '200 OK', '103 Hints', '204 None', '304 Same'))
  .map(([text, before, behind, status]) =>
    text
      .replace('200 OK', status)
      .replace(/(Content-Length|Transfer-Encoding): (.*)/, (_, name, value) => `${name}:${before}${value}${behind}`),
  );

test('what another parser takes for an answer is the same one here, or refused', async () => {
  const edits = fc.array(
    fc.tuple(fc.nat(2_000), fc.constantFrom('', '\r', '\n', '\r\n', ' ', '0', ':', 'f', '\0', 'Content-Length: 3\r\n')),
    { maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(answers, oddlyFramed), edits, async (text, changes) => {
      let changed = text;
      for (const [at, piece] of changes) {
        const place = at % changed.length;
        changed = changed.slice(0, place) + piece + changed.slice(place + 1);
      }
      const heard = whole(changed, true);
      if (heard.outcome !== 'complete' || heard.left > 0) return;
      expect(await judge(changed)).toEqual({ body: heard.body });
    }),
    { numRuns: 600 },
  );
}, 60_000);
