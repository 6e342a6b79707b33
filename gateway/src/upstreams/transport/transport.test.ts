// What an upstream's bytes become on the way to the receiver, against a server that writes raw HTTP.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { ConnectionGuard } from '../../platform/outbound/outbound.ts';
import type { Flight, Receiver, Transport, TransportFailure } from './receiver.ts';
import { createTransport } from './transport.ts';

const NOBODY: ConnectionGuard = {
  lookup: () => {
    throw new Error('no customer is asked here');
  },
  refusalOf: () => new Error('no customer is asked here'),
};

let server: Server;
let transport: Transport;
let baseUrl: string;
let answer: (socket: Socket) => void;

beforeEach(async () => {
  server = createServer((socket) => socket.once('data', () => answer(socket)).on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  transport = createTransport({
    clock: systemClock,
    guard: NOBODY,
  });
});

afterEach(async () => {
  await transport.close();
  await new Promise((resolve) => server.close(resolve));
});

type Heard = Readonly<{ pieces: readonly string[]; failure: TransportFailure | null }>;

function listen(onPiece: (cancel: () => void) => void = () => {}): Promise<Heard> {
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const receiver: Receiver = {
      onStart: () => {},
      onData: (chunk) => {
        pieces.push(chunk.toString());
        onPiece(() => {
          flight.cancel();
          setTimeout(() => resolve({ pieces, failure: null }), 50);
        });
      },
      onEnd: () => resolve({ pieces, failure: null }),
      onFail: (failure) => resolve({ pieces, failure }),
    };
    const call = {
      baseUrl,
      path: '/',
      headers: [],
      body: '{}',
      timeouts: { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 },
      responseBytesMax: 1_000_000,
    };
    const flight = transport.send(call, receiver);
  });
}

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n';
const chunkOf = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `data: ${index}\n\n`);

test('what an upstream wrote in many pieces and one read brought is handed on once, whole and in order', async () => {
  const frames = numbers(200);
  answer = (socket) => socket.end(`${HEAD}${frames.map(chunkOf).join('')}0\r\n\r\n`);
  const { pieces, failure } = await listen();
  expect(failure).toBeNull();
  expect(pieces.join('')).toBe(frames.join(''));
  expect(pieces.length).toBeLessThan(5);
});

test('pieces that come apart are handed on apart: nothing waits for company', async () => {
  answer = (socket) => {
    socket.write(`${HEAD}${chunkOf('one')}`);
    setTimeout(() => socket.end(`${chunkOf('two')}0\r\n\r\n`), 30);
  };
  expect((await listen()).pieces).toEqual(['one', 'two']);
});

test('what came before a connection broke is heard before its failure', async () => {
  answer = (socket) => {
    socket.write(`${HEAD}${chunkOf('one')}${chunkOf('two')}`);
    setTimeout(() => socket.destroy(), 10);
  };
  const { pieces, failure } = await listen();
  expect(pieces.join('')).toBe('onetwo');
  expect(failure).toMatchObject({ kind: 'reset', isUnsent: false });
});

test('nothing is heard after a cancel, whatever has been read already', async () => {
  answer = (socket) => {
    socket.write(`${HEAD}${chunkOf('one')}`);
    setTimeout(() => socket.write(`${chunkOf('two')}${chunkOf('three')}0\r\n\r\n`), 10);
  };
  const { pieces, failure } = await listen((cancel) => cancel());
  expect(pieces).toEqual(['one']);
  expect(failure).toBeNull();
});

test.each([
  ['little', gzipSync(Buffer.alloc(30_000_000, 'data: x\n\n'))],
  ['as much', gzipSync(randomBytes(30_000_000), { level: 0 })],
])(
  'a pause holds back what a compressed answer becomes, if %s of it has come, and nothing is lost',
  async (_, body) => {
    const bytes = 30_000_000;
    answer = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n');
      socket.end(body);
    };
    const call = {
      baseUrl,
      path: '/',
      headers: [],
      body: '{}',
      timeouts: { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
      responseBytesMax: bytes,
    };
    const heard = { paused: 0, other: 0 };
    const receive = (name: keyof typeof heard, onData: () => void): Promise<Flight> =>
      new Promise((resolve, reject) => {
        const flight = transport.send(call, {
          onStart: () => {},
          onData(chunk) {
            heard[name] += chunk.length;
            onData();
          },
          onEnd: () => resolve(flight),
          onFail: ({ detail }) => reject(new Error(detail)),
        });
        if (name === 'paused') paused = flight;
      });
    let paused: Flight | null = null;
    let isHeld = true;
    const ended = receive('paused', () => isHeld && paused?.pause());
    await expect.poll(() => heard.paused).toBeGreaterThan(0);
    // By now the first would have all of it, too.
    await receive('other', () => {});
    expect([heard.other, heard.paused < 1_000_000]).toEqual([bytes, true]);
    isHeld = false;
    (paused as Flight | null)?.resume();
    await ended;
    expect(heard.paused).toBe(bytes);
  },
);

test('a certificate that nobody vouches for gets no byte of the call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'));
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const parameters = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ');
  const made = spawnSync('openssl', [...parameters, '-keyout', keyFile, '-out', certificateFile]);
  expect(made.status, String(made.stderr)).toBe(0);
  const heard: Buffer[] = [];
  const identity = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
  const secure = createSecureServer(identity, (socket) => {
    socket.on('error', () => {}).on('data', (bytes) => heard.push(bytes));
  });
  secure.on('tlsClientError', () => {});
  rmSync(folder, { recursive: true });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  baseUrl = `https://localhost:${(secure.address() as AddressInfo).port}`;
  const { failure } = await listen();
  expect(failure).toMatchObject({ kind: 'unreachable', detail: expect.stringMatching(/self-signed/), isUnsent: true });
  expect(heard).toEqual([]);
  secure.close();
});
