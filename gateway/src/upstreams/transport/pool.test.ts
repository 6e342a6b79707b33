// Connections against a server that writes raw HTTP: which are used again, which never, and who waits for one.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CarriedCall, ConnectTimeout, type UpstreamConnection, type WireCall } from './connection.ts';
import { Pool, type PoolOptions } from './pool.ts';
import { Pools } from './pools.ts';

let server: Server;
let sockets: Socket[];
/** What the server has read, by connection. */
let read: string[];
let answer: (socket: Socket, text: string) => void;
let pools: Pool[];

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

beforeEach(async () => {
  sockets = [];
  read = [];
  pools = [];
  answer = (socket) => socket.write(OK);
  server = createServer((socket) => {
    const place = sockets.push(socket) - 1;
    read[place] = '';
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        read[place] += bytes.toString('latin1');
        answer(socket, bytes.toString('latin1'));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const pool of pools) pool.destroy();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function openPool(options: Partial<PoolOptions> = {}, address: Partial<PoolOptions['address']> = {}): Pool {
  const { port } = server.address() as AddressInfo;
  const pool = new Pool({
    address: { host: '127.0.0.1', port, isSecure: false, connectMs: 1_000, keptSeconds: 4, lookup: null, ...address },
    connectionsMax: 10,
    refusalOf: () => null,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const QUESTION: WireCall = { head: 'GET /a HTTP/1.1\r\nhost: x\r\n\r\n', body: null };

type Outcome = string | Error;

class TestCall implements CarriedCall {
  readonly wire: WireCall;
  readonly ended: Promise<Outcome>;
  isOver = false;
  connection: UpstreamConnection | null = null;
  body = '';
  onPiece: (call: TestCall) => void = () => {};
  #end: (outcome: Outcome) => void = () => {};

  constructor(wire = QUESTION) {
    this.wire = wire;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  onDeparture(connection: UpstreamConnection): void {
    this.connection = connection;
  }

  onCrossed(): boolean {
    return false;
  }

  onHead(): void {}

  onBody(piece: Buffer): void {
    this.body += piece.toString('latin1');
    this.onPiece(this);
  }

  onComplete(): void {
    this.#end(this.body);
  }

  onBroken(error: Error): void {
    this.#end(error);
  }
}

function send(pool: Pool, wire?: WireCall): TestCall {
  const call = new TestCall(wire);
  pool.send(call);
  return call;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('calls go over one connection, one after another', async () => {
  const pool = openPool();
  for (let turn = 0; turn < 5; turn += 1) expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(1);
});

test('calls at the same time have a connection each, and the one that was used last is used again', async () => {
  const pool = openPool();
  const both = [send(pool), send(pool)];
  expect(await Promise.all(both.map(({ ended }) => ended))).toEqual(['ok', 'ok']);
  expect(sockets).toHaveLength(2);
  const later = send(pool);
  expect(await later.ended).toBe('ok');
  expect(both.map(({ connection }) => connection)).toContain(later.connection);
  expect(sockets).toHaveLength(2);
});

test.each([
  ['whose upstream says that it closes', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['with bytes after the answer', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen`],
  ['with a line end after the answer', `${OK}\r\n`],
  ['that is kept for a moment only', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=1\r\n\r\nok'],
])('a connection %s is not used again', async (_, text) => {
  const pool = openPool();
  answer = (socket) => socket.write(text);
  expect(await send(pool).ended).toBe('ok');
  answer = (socket) => socket.write(OK);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(2);
});

test('bytes that nobody asked for are no answer to the next call', async () => {
  const pool = openPool();
  expect(await send(pool).ended).toBe('ok');
  sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nstolen');
  await until(() => pool.isEmpty);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(2);
});

test('a connection that the upstream closed while it was free is not used', async () => {
  const pool = openPool();
  expect(await send(pool).ended).toBe('ok');
  sockets[0]?.end();
  await until(() => pool.isEmpty);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(2);
});

test('the end of the connection completes an answer without a length, and breaks one that has one', async () => {
  const pool = openPool();
  answer = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it');
  expect(await send(pool).ended).toBe('all of it');
  answer = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\na part');
  const cut = send(pool);
  expect(await cut.ended).toBeInstanceOf(Error);
  expect(cut.body).toBe('a part');
  answer = (socket) => socket.end();
  expect(await send(pool).ended).toBeInstanceOf(Error);
});

test('an answer that is no HTTP breaks the call and its connection', async () => {
  const pool = openPool();
  answer = (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n\r\n');
  expect(await send(pool).ended).toMatchObject({ message: 'the head of the answer is no HTTP' });
  expect(pool.isEmpty).toBe(true);
});

test('a fault of the listener breaks its call and nothing else', async () => {
  const pool = openPool();
  const call = new TestCall();
  call.onPiece = () => {
    throw new Error('a bug');
  };
  pool.send(call);
  expect(await call.ended).toMatchObject({ message: 'a bug' });
  expect(await send(pool).ended).toBe('ok');
});

test('a call that is given up ends its connection, and a call that waits goes out on another', async () => {
  const pool = openPool({ connectionsMax: 1 });
  answer = () => {};
  const first = send(pool);
  await until(() => read[0] !== undefined && read[0].length > 0);
  const second = send(pool);
  answer = (socket) => socket.write(OK);
  first.isOver = true;
  first.connection?.abort();
  expect(await second.ended).toBe('ok');
  expect(sockets).toHaveLength(2);
});

test('beyond the limit calls wait for their turn, and those that were given up are passed over', async () => {
  const pool = openPool({ connectionsMax: 2 });
  const calls = Array.from({ length: 9 }, () => send(pool));
  const [, , , given] = calls;
  if (given !== undefined) given.isOver = true;
  const served = calls.filter((call) => call !== given);
  expect(await Promise.all(served.map(({ ended }) => ended))).toEqual(served.map(() => 'ok'));
  expect(sockets).toHaveLength(2);
  expect(given?.connection).toBeNull();
});

test('free connections are closed after a while; one that is in use is not', async () => {
  const pool = openPool();
  answer = (socket, text) => {
    if (text.includes('/a')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=12\r\n\r\nok');
  };
  expect(await send(pool).ended).toBe('ok');
  const slow = send(pool, { ...QUESTION, head: QUESTION.head.replace('/a', '/slow') });
  const free = send(pool);
  expect(await free.ended).toBe('ok');
  for (let sweeps = 0; sweeps < 9; sweeps += 1) pool.sweep(1_000);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(2);
  for (let sweeps = 0; sweeps < 10; sweeps += 1) pool.sweep(1_000);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(3);
  sockets[0]?.write(OK);
  expect(await slow.ended).toBe('ok');
});

test.each([4, 30])(
  'without a word of the upstream one is kept for %d seconds, and a call starts them anew',
  async (keptSeconds) => {
    const pool = openPool({}, { keptSeconds });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await send(pool).ended).toBe('ok');
      for (let second = 1; second < keptSeconds; second += 1) pool.sweep(1_000);
    }
    expect(await send(pool).ended).toBe('ok');
    expect(sockets).toHaveLength(1);
    for (let second = 0; second < keptSeconds; second += 1) pool.sweep(1_000);
    expect(pool.isEmpty).toBe(true);
  },
);

test("the operator's own secure connections are kept longest", () => {
  const pools = new Pools({ lookup: () => {}, refusalOf: () => null });
  const keptSeconds = (baseUrl: string, owner: string | null) => pools.of(baseUrl, owner).pool.address.keptSeconds;
  expect(keptSeconds('https://vendor.example/v1', null)).toBe(30);
  expect(keptSeconds('http://127.0.0.1:8000/v1', null)).toBe(4);
  expect(keptSeconds('https://own.example/v1', 'org-1')).toBe(4);
});

test('a connection that is not there in time fails its call', async () => {
  // A name that is never found.
  const pool = openPool({}, { host: 'nowhere.invalid', lookup: () => {} });
  const call = send(pool);
  pool.sweep(600);
  pool.sweep(600);
  expect(await call.ended).toBeInstanceOf(ConnectTimeout);
  expect(call.connection).toBeNull();
  expect(pool.isEmpty).toBe(true);
});

test('where the first address of a name does not answer, the next one does, and is read as well', async () => {
  const found = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const pool = openPool({}, { host: 'two.example', lookup: (_, __, callback) => callback(null, found) });
  expect(await send(pool).ended).toBe('ok');
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(1);
});

test('nothing is connected to an address that is refused', async () => {
  const pool = openPool({ refusalOf: (host) => new Error(`not to ${host}`) });
  expect(await send(pool).ended).toMatchObject({ message: 'not to 127.0.0.1' });
  expect(sockets).toHaveLength(0);
});

test('a pause holds back the rest and the end, and nothing is lost', async () => {
  const pool = openPool();
  answer = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none');
    setTimeout(() => socket.write('two'), 20);
  };
  const call = new TestCall();
  let hasEnded = false;
  void call.ended.then(() => {
    hasEnded = true;
  });
  call.onPiece = ({ connection }) => connection?.pause();
  pool.send(call);
  await until(() => call.body === 'one');
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(call.body).toBe('one');
  call.connection?.resume();
  await until(() => call.body === 'onetwo');
  await new Promise((resolve) => setTimeout(resolve, 20));
  // The last piece has asked for a pause too.
  expect(hasEnded).toBe(false);
  call.connection?.resume();
  expect(await call.ended).toBe('onetwo');
  answer = (socket) => socket.write(OK);
  expect(await send(pool).ended).toBe('ok');
  // Nobody has looked at what came in the pause.
  expect(sockets).toHaveLength(2);
});

test('an answer that is complete stays so when its connection is closed during a pause', async () => {
  const pool = openPool();
  answer = (socket) => socket.end(OK);
  const call = new TestCall();
  call.onPiece = ({ connection }) => connection?.pause();
  pool.send(call);
  await until(() => call.body === 'ok');
  await until(() => sockets[0]?.destroyed === true || sockets[0]?.writableFinished === true);
  await new Promise((resolve) => setTimeout(resolve, 20));
  call.connection?.resume();
  expect(await call.ended).toBe('ok');
});

const inPieces = (byteLength: number, pieces: readonly string[]): WireCall => ({
  head: `POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: ${byteLength}\r\n\r\n`,
  body: {
    byteLength,
    async *open() {
      for (const piece of pieces) yield Buffer.from(piece);
    },
  },
});

test('bodies of every kind arrive as they are', async () => {
  const pool = openPool();
  const long = 'x'.repeat(200_000);
  const bodies: [WireCall['body'], string][] = [
    ['text', 'text'],
    [Buffer.from('\u00e9 and \u20ac'), Buffer.from('\u00e9 and \u20ac').toString('latin1')],
    [Buffer.from(long), long],
    [inPieces(6, ['one', '', 'two']).body, 'onetwo'],
  ];
  for (const [body, expected] of bodies) {
    const bytes = expected.length;
    let whole = '';
    answer = (socket, text) => {
      whole += text;
      if (whole.endsWith(expected)) socket.write(OK);
    };
    expect(await send(pool, { head: `POST / HTTP/1.1\r\ncontent-length: ${bytes}\r\n\r\n`, body }).ended).toBe('ok');
    expect(whole.endsWith(`\r\n\r\n${expected}`)).toBe(true);
  }
  expect(sockets).toHaveLength(1);
});

test.each([
  ['shorter', 7, ['one', 'two']],
  ['longer', 5, ['one', 'two']],
] as const)(
  'a body that is %s than announced breaks the call, and no other follows on its connection',
  async (_, bytes, pieces) => {
    const pool = openPool();
    answer = () => {};
    expect(await send(pool, inPieces(bytes, pieces)).ended).toMatchObject({
      message: expect.stringMatching(/announced/),
    });
    answer = (socket) => socket.write(OK);
    expect(await send(pool).ended).toBe('ok');
    expect(sockets).toHaveLength(2);
  },
);

test('an answer that comes before the whole body was sent counts, and its connection does not', async () => {
  const pool = openPool();
  answer = (socket) => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
  const endless: WireCall = {
    ...inPieces(1_000, []),
    body: {
      byteLength: 1_000,
      async *open() {
        yield Buffer.from('a');
        await new Promise(() => {});
      },
    },
  };
  expect(await send(pool, endless).ended).toBe('no');
  answer = (socket) => socket.write(OK);
  expect(await send(pool).ended).toBe('ok');
  expect(sockets).toHaveLength(2);
});

test('a pool that is closed lets its calls end, and keeps no connection', async () => {
  const pool = openPool({ connectionsMax: 1 });
  const calls = [send(pool), send(pool)];
  pool.close();
  expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual(['ok', 'ok']);
  expect(pool.isEmpty).toBe(true);
});
