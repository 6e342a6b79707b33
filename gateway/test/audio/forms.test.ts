// Forms written by hand, byte by byte: what a careless or hostile client may send, and that it costs the gateway
// nothing.

import { readdir, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Harness, Json } from '../harness.ts';
import { recording, startAudio } from './audio-harness.ts';

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startAudio();
  ({ key } = await harness.account());
});
beforeEach(() => harness.simulator.clearRequests());
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const BOUNDARY = 'boundary-of-the-test';

type Part = string | Buffer;

const field = (name: string, value: string): Part => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (bytes: Buffer, name = 'file'): Part =>
  Buffer.concat([
    Buffer.from(`Content-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`),
    bytes,
  ]);

function form(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap((part) => [Buffer.from(`--${BOUNDARY}\r\n`), Buffer.from(part), Buffer.from('\r\n')]);
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

async function send(body: Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`): Promise<Answer> {
  const response = await fetch(`${harness.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as Json };
}

const model = field('model', 'acme/listener');
const good = form([model, file(recording())]);

describe('AUD-01 what is a form', () => {
  test('quotes around the boundary, a preamble and an epilogue are fine', async () => {
    const dressed = Buffer.concat([Buffer.from('This is a form.\r\n'), good, Buffer.from('The end.')]);
    expect((await send(dressed, `multipart/form-data; boundary="${BOUNDARY}"`)).status).toBe(200);
    expect((await send(good, `Multipart/Form-Data; charset=utf-8; boundary=${BOUNDARY}`)).status).toBe(200);
  });

  test('the file may come before the fields', async () => {
    expect((await send(form([file(recording()), model]))).status).toBe(200);
  });

  test('a file that holds the upstream’s idea of a boundary adds no fields', async () => {
    const trick = Buffer.from('\r\n--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nother\r\n--x--\r\n');
    await send(form([model, file(Buffer.concat([recording(), trick]))]));
    expect(harness.simulator.requests.at(-1)?.form?.fields).toEqual({ model: 'acme/listener' });
  });

  test('names cannot break out of their quotes on the way upstream', async () => {
    const odd = 'Content-Disposition: form-data; name="odd%0d%0aX: y"; x="z"\r\n\r\nv';
    const answer = await send(form([model, odd, file(recording())]));
    expect(answer.status).toBe(200);
    expect(harness.simulator.requests.at(-1)?.form?.fields).toMatchObject({ model: 'acme/listener' });
  });
});

describe('A16 what is none', () => {
  test.each([
    ['no boundary', good, 'multipart/form-data'],
    ['an empty boundary', good, 'multipart/form-data; boundary='],
    ['a boundary of a hundred characters', good, `multipart/form-data; boundary=${'b'.repeat(100)}`],
    ['another boundary than announced', good, 'multipart/form-data; boundary=another'],
    ['no end', good.subarray(0, good.length - 10), undefined],
    ['an end in the middle of a head', Buffer.from(`--${BOUNDARY}\r\nContent-Dispo`), undefined],
    ['nothing', Buffer.alloc(0), undefined],
    ['nothing but dashes', Buffer.alloc(100_000, '-'), undefined],
    ['a part without a name', form(['Content-Disposition: form-data\r\n\r\nx', model, file(recording())]), undefined],
    ['a name of a thousand letters', form([field('n'.repeat(1_000), 'x'), model, file(recording())]), undefined],
    ['the name __proto__', form([field('__proto__', 'x'), model, file(recording())]), undefined],
    ['a field of a megabyte', form([field('prompt', 'x'.repeat(1_000_000)), model, file(recording())]), undefined],
    ['forty fields', form([...Array(40).keys()].map((at) => field(`f${at}`, 'x'))), undefined],
    ['two files', form([model, file(recording()), file(recording(), 'second')]), undefined],
  ])('%s', async (_, body, type) => {
    const answer = await send(body, type);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error' });
    expect(harness.simulator.requests).toEqual([]);
  });

  test('a head without an end is not kept', async () => {
    const endless = Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"; x="`),
      Buffer.alloc(2_000_000, 'x'),
    ]);
    expect((await send(endless)).status).toBe(400);
  });

  test('thousands of parts end with the first that is too many', async () => {
    const many = form(Array.from({ length: 20_000 }, () => field('a', 'b')));
    const answer = await send(many);
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('32 fields') });
  });

  test('LIM-08 a body of unannounced length is counted', async () => {
    const head = `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { hostname, port } = new URL(harness.url);
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', () => {});
    socket.write(head);
    const opening = Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), Buffer.from(file(Buffer.alloc(0)))]);
    const piece = Buffer.alloc(65_536);
    socket.write(`${opening.length.toString(16)}\r\n`);
    socket.write(Buffer.concat([opening, Buffer.from('\r\n')]));
    for (let sent = 0; sent < 12 * 16 && !socket.destroyed; sent += 1) {
      socket.write('10000\r\n');
      socket.write(Buffer.concat([piece, Buffer.from('\r\n')]));
    }
    await expect.poll(() => Buffer.concat(received).toString('latin1')).toMatch(/^HTTP\/1\.1 413/);
    socket.destroy();
  });
});

test('a client that leaves amid its file leaves nothing behind', async () => {
  const { hostname, port } = new URL(harness.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: 5000000\r\n\r\n`,
  );
  socket.write(Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n`), Buffer.from(file(Buffer.alloc(2_000_000)))]));
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
  await expect.poll(() => openUploads()).toBe(0);
  expect((await send(good)).status).toBe(200);
});

test('a file ends with its call, whether that was answered or refused', async () => {
  const large = file(Buffer.concat([recording(), Buffer.alloc(1_000_000)]));
  const poor = await harness.account(0);
  for (const [parts, caller] of [
    [[model, large], key],
    [[large, model], key],
    [[field('model', 'acme/unknown'), large], key],
    [[model, large, field('response_format', 'nonsense')], key],
    [[model, large], poor.key],
    [[large], key],
  ] as const) {
    const response = await fetch(`${harness.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${caller}`, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: new Uint8Array(form(parts)),
    });
    await response.text();
    await expect.poll(() => openUploads()).toBe(0);
  }
});

/** Files of uploads have no names from the start; only a process that holds them open shows that they exist. */
async function openUploads(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => link.includes('/uploads/')).length;
}

test('FUZZ-2 whatever is cut out of a form, there is an answer and it is not 500', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(400), fc.nat(60), fc.uint8Array({ maxLength: 20 }), async (start, length, inserted) => {
      const body = Buffer.concat([good.subarray(0, start), Buffer.from(inserted), good.subarray(start + length)]);
      const answer = await send(body);
      expect([200, 400]).toContain(answer.status);
    }),
    { numRuns: 40 },
  );
});
