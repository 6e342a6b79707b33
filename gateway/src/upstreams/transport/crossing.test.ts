// Calls that leave while their upstream closes the connection, against a server that closes a connection when it reads
// from it: for the client, that looks the same as a close that was on its way.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Flight, Transport, TransportCall, TransportFailure } from './receiver.ts';
import { createTransport } from './transport.ts';

let server: Server;
let sockets: Socket[];
/** What the server has read, by connection. */
let read: string[];
let answer: (socket: Socket, place: number) => void;
let transport: Transport;
let sweep: () => void;
let nowMs: number;
let port: number;

const SWEEPS_OF_A_SECOND = 4;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const serve = (socket: Socket): void => {
  socket.write(OK);
};

beforeEach(async () => {
  sockets = [];
  read = [];
  answer = serve;
  nowMs = 0;
  server = createServer((socket) => {
    const place = sockets.push(socket) - 1;
    read[place] = '';
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        read[place] += bytes.toString('latin1');
        answer(socket, place);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    every(_, run) {
      sweep = run;
      return () => {};
    },
  };
  transport = createTransport({ clock, guard: { lookup: () => {}, refusalOf: () => null } });
});

afterEach(async () => {
  await transport.close();
  for (const socket of sockets) socket.destroy();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

type Outcome = string | TransportFailure;
type Asked = Readonly<{ flight: Flight; ended: Promise<Outcome> }>;

function ask(more: Partial<TransportCall> = {}): Asked {
  let flight: Flight | null = null;
  const ended = new Promise<Outcome>((resolve) => {
    const pieces: Buffer[] = [];
    const call: TransportCall = {
      baseUrl: `http://127.0.0.1:${port}`,
      path: '/',
      headers: [],
      body: 'question',
      isRepeatable: true,
      timeouts: { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
      responseBytesMax: 1_000,
      ...more,
    };
    flight = transport.send(call, {
      onStart: () => {},
      onData: (piece) => pieces.push(piece),
      onEnd: () => resolve(Buffer.concat(pieces).toString()),
      onFail: resolve,
    });
  });
  return { flight: flight as unknown as Flight, ended };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Leaves this many connections that are free. */
async function open(count: number): Promise<void> {
  const held: Socket[] = [];
  answer = (socket) => held.push(socket);
  const calls = Array.from({ length: count }, () => ask());
  await until(() => held.length === count);
  for (const socket of held) serve(socket);
  for (const { ended } of calls) expect(await ended).toBe('ok');
}

const CLOSES: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['ends', (socket) => socket.end()],
  ['is closed', (socket) => socket.destroy()],
  ['is reset', (socket) => socket.resetAndDestroy()],
];

test.each(CLOSES)('a call whose used connection %s as it comes is sent again, on a new one', async (_, close) => {
  await open(3);
  answer = (socket, place) => (place < 3 ? close(socket) : serve(socket));
  expect(await ask().ended).toBe('ok');
  // The two that are free may be closing as well.
  expect(sockets).toHaveLength(4);
  expect(read[3]).toBe(read[0]);
});

test.each<[string, readonly Buffer[]]>([
  ['bytes', [Buffer.from('é and €')]],
  ['pieces', [Buffer.from('one'), Buffer.from('x'.repeat(100_000))]],
])('a body of %s arrives whole the second time', async (_, pieces) => {
  await open(1);
  const body = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : pieces;
  const bytes = Buffer.concat(pieces).toString('latin1');
  answer = (socket, place) => {
    if (place === 0) socket.resetAndDestroy();
    else if (read[place]?.endsWith(`\r\n\r\n${bytes}`) === true) serve(socket);
  };
  expect(await ask({ body }).ended).toBe('ok');
});

test('a question is always sent again', async () => {
  await open(1);
  answer = (socket, place) => (place === 0 ? socket.destroy() : serve(socket));
  expect(await ask({ method: 'GET', isRepeatable: false }).ended).toBe('ok');
});

const RESET = { kind: 'reset', isUnsent: false };

test('a call is not sent again that might do harm twice, or whose body has been read', async () => {
  for (const more of [{ isRepeatable: false }, { body: streamOf('question') }]) {
    await open(1);
    const before = sockets.length;
    answer = (socket) => socket.destroy();
    expect(await ask(more).ended).toMatchObject(RESET);
    expect(sockets).toHaveLength(before);
  }
});

test('a call is sent again once', async () => {
  await open(1);
  answer = (socket) => socket.destroy();
  expect(await ask().ended).toMatchObject(RESET);
  expect(sockets).toHaveLength(2);
});

test('a new connection that is closed fails its call', async () => {
  answer = (socket) => socket.destroy();
  expect(await ask().ended).toMatchObject(RESET);
  expect(sockets).toHaveLength(1);
});

test('a call whose answer has begun, be it with one byte, is not sent again', async () => {
  await open(1);
  answer = (socket) => socket.end('H');
  expect(await ask().ended).toMatchObject(RESET);
  expect(sockets).toHaveLength(1);
});

test('a close that comes late is not taken for one that the call has crossed', async () => {
  await open(1);
  answer = () => {
    for (let sweeps = 0; sweeps <= SWEEPS_OF_A_SECOND; sweeps += 1) sweep();
    sockets[0]?.destroy();
  };
  expect(await ask().ended).toMatchObject(RESET);
  expect(sockets).toHaveLength(1);
});

test('a call that cannot be sent a second time was sent once', async () => {
  await open(1);
  const closed = new Promise((resolve) => server.close(resolve));
  answer = (socket) => socket.destroy();
  expect(await ask().ended).toMatchObject({ kind: 'unreachable', isUnsent: false });
  await closed;
});

test('a call that is given up on its second way ends its connection', async () => {
  await open(1);
  answer = (socket, place) => (place === 0 ? socket.destroy() : null);
  const { flight } = ask();
  await until(() => read[1]?.endsWith('question') === true);
  flight.cancel();
  await until(() => sockets[1]?.destroyed === true);
});

test('the deadline of a call counts from its first way on', async () => {
  const timeouts = { firstByteMs: 10_000, idleMs: 60_000, totalMs: 60_000 };
  await open(1);
  answer = (socket, place) => {
    if (place > 0) return;
    nowMs += 9_000;
    socket.destroy();
  };
  const { ended } = ask({ timeouts });
  await until(() => read[1]?.endsWith('question') === true);
  nowMs += 2_000;
  sweep();
  expect(await ended).toMatchObject({ kind: 'timeout', isUnsent: false });
});

const streamOf = (text: string): TransportCall['body'] => ({
  byteLength: text.length,
  async *open() {
    yield Buffer.from(text);
  },
});
