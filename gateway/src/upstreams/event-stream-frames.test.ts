// Messages come out as they went in however the bytes are split; damage is found and ends the stream.

import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStreamFrames } from './event-stream-frames.ts';

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

function headerOf(name: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([type]), value]);
}

const textHeader = (name: string, value: string): Buffer =>
  headerOf(name, 7, Buffer.concat([Buffer.from([0, Buffer.byteLength(value)]), Buffer.from(value)]));

function pack(headers: Buffer, payload: Buffer): Buffer {
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

const HELLO = pack(textHeader(':event-type', 'chunk'), Buffer.from('{"a":"ä"}'));

function read(bytes: Buffer, pieceLength = bytes.length) {
  const frames = new EventStreamFrames();
  const messages = [];
  for (let at = 0; at < bytes.length; at += pieceLength)
    messages.push(...frames.push(bytes.subarray(at, at + pieceLength)));
  return { messages, frames };
}

/** Published with the format's description: an empty message, and one with a payload and a header. */
test.each([
  ['000000100000000005c248eb7d98c8ff', {}, ''],
  ['0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936', {}, "{'foo':'bar'}"],
  [
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    { 'content-type': 'application/json' },
    "{'foo':'bar'}",
  ],
])('STRM-07 the published message %s', (hex, headers, payload) => {
  const { messages, frames } = read(Buffer.from(hex, 'hex'), 5);
  expect(messages).toEqual([{ headers, payload: Buffer.from(payload) }]);
  expect(frames.fault).toBeNull();
  expect(frames.isCut).toBe(false);
});

test('STRM-07 property: any messages, in pieces of any size', () => {
  const message = fc.tuple(
    fc.stringMatching(/^[a-z-]{1,20}$/),
    fc.string({ maxLength: 40 }),
    fc.uint8Array({ maxLength: 400 }),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), fc.integer({ min: 1, max: 700 }), (list, pieceLength) => {
      const bytes = Buffer.concat(
        list.map(([name, value, payload]) => pack(textHeader(name, value), Buffer.from(payload))),
      );
      const { messages, frames } = read(bytes, pieceLength);
      expect(frames.fault).toBeNull();
      expect(messages).toEqual(
        list.map(([name, value, payload]) => ({ headers: { [name]: value }, payload: Buffer.from(payload) })),
      );
    }),
  );
});

test('STRM-07 property: one damaged bit anywhere is found, and what came before stands', () => {
  fc.assert(
    fc.property(fc.nat(HELLO.length * 8 - 1), fc.integer({ min: 1, max: 50 }), (bit, pieceLength) => {
      const damaged = Buffer.from(HELLO);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { messages, frames } = read(Buffer.concat([HELLO, damaged, HELLO]), pieceLength);
      expect(messages).toHaveLength(1);
      expect(frames.fault).not.toBeNull();
    }),
  );
});

test('STRM-07 a stream that ends amid a message is cut, wherever that is', () => {
  for (let length = 1; length < HELLO.length; length += 1)
    expect(read(HELLO.subarray(0, length)).frames.isCut).toBe(true);
});

test('a length beyond all reason is refused before anything is kept for it', () => {
  const lengths = Buffer.concat([number(0xffffffff), number(10)]);
  expect(read(Buffer.concat([lengths, number(crc32(lengths))])).frames.fault).toBe('oversize');
  const headers = Buffer.concat([number(40), number(100)]);
  expect(read(Buffer.concat([headers, number(crc32(headers))])).frames.fault).toBe('malformed');
});

test('values of every type are passed over, and unknown types are refused', () => {
  const known = [
    headerOf('a', 0, Buffer.alloc(0)),
    headerOf('b', 2, Buffer.alloc(1)),
    headerOf('c', 5, Buffer.alloc(8)),
    headerOf('d', 6, Buffer.from([0, 2, 1, 2])),
    headerOf('e', 9, Buffer.alloc(16)),
    textHeader('__proto__', 'x'),
  ];
  const { messages } = read(pack(Buffer.concat(known), Buffer.alloc(0)));
  expect(Object.entries(messages[0]?.headers ?? {})).toEqual([['__proto__', 'x']]);
  expect(read(pack(headerOf('f', 11, Buffer.alloc(4)), Buffer.alloc(0))).frames.fault).toBe('malformed');
  expect(read(pack(Buffer.from([200, 1]), Buffer.alloc(0))).frames.fault).toBe('malformed');
});
