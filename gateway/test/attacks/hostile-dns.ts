// A name server on this machine that answers as its owner likes, over UDP like any other: the attacker's part in DNS
// rebinding. Its answers must not be cached (a lifetime of zero), and may depend on how often a name was asked for.

import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

const TYPES = { A: 1, AAAA: 28 } as const;
type Type = keyof typeof TYPES;

/**
 * Addresses for the nth question after this name and type; null to say nothing at all, a Buffer to say anything else.
 */
export type Zone = (name: string, type: Type, times: number) => readonly string[] | Buffer | null;

export type HostileDns = Readonly<{ server: string; asked(name: string): number; close(): Promise<void> }>;

type Question = Readonly<{ name: string; type: Type; end: number }>;

function readQuestion(message: Buffer): Question | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = message.readUInt16BE(at + 1);
  const type = (Object.keys(TYPES) as Type[]).find((name) => TYPES[name] === code);
  return type === undefined ? null : { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail)];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}

function answerTo(message: Buffer, { type, end }: Question, addresses: readonly string[]): Buffer {
  const head = Buffer.from(message.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const records = addresses.map((address) => {
    const data = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(TYPES[type], 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...records]);
}

export async function startHostileDns(zone: Zone): Promise<HostileDns> {
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const question = readQuestion(message);
    if (question === null) return;
    const key = `${question.type} ${question.name}`;
    const times = (counts.get(key) ?? 0) + 1;
    counts.set(key, times);
    const said = zone(question.name, question.type, times);
    if (said === null) return;
    socket.send(Buffer.isBuffer(said) ? said : answerTo(message, question, said), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    server: `127.0.0.1:${port}`,
    asked: (name) => counts.get(`A ${name}`) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
