// Sockets that share the memory from which they are written get each their own bytes, also where one of them is slow.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isJoinable, writeJoined } from './write-joined.ts';

const HEAD = 'HEAD \xe9\r\n\r\n';
const bodyOf = (id: number): Buffer => Buffer.alloc(12_000, 0x41 + id);

test('each reader gets what was written for it, whole and in order', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pairs: { writer: Socket; reader: Socket }[] = [];
  for (let count = 0; count < 3; count += 1) {
    const writer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [reader] = (await once(server, 'connection')) as [Socket];
    pairs.push({ writer, reader });
  }
  const [slow, ...quick] = pairs as [(typeof pairs)[number], ...typeof pairs];
  // Until the system takes no more of it.
  const written = pairs.map(() => 0);
  const write = (place: number): boolean => {
    written[place] = (written[place] ?? 0) + 1;
    return writeJoined((pairs[place] as (typeof pairs)[number]).writer, HEAD, bodyOf(place));
  };
  while (slow.writer.writableLength === 0) write(0);
  for (let count = 0; count < 50; count += 1) for (let place = 0; place < pairs.length; place += 1) write(place);
  expect(quick.length).toBe(2);
  for (const [place, { writer, reader }] of pairs.entries()) {
    writer.end();
    const chunks: Buffer[] = [];
    for await (const chunk of reader) chunks.push(chunk as Buffer);
    const one = Buffer.concat([Buffer.from(HEAD, 'latin1'), bodyOf(place)]);
    const expected = Buffer.concat(Array.from({ length: written[place] ?? 0 }, () => one));
    expect(Buffer.concat(chunks).equals(expected)).toBe(true);
  }
  server.close();
});

test('there is room for a brief answer and not for a long one', () => {
  expect(isJoinable(HEAD, Buffer.alloc(16_000))).toBe(true);
  expect(isJoinable(HEAD, Buffer.alloc(16_384))).toBe(false);
});
