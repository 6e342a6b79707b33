// No call is ever given the answer to another, whatever an upstream writes behind its answers and wherever its bytes are
// divided: what was there before a call was sent is not its answer.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CarriedCall, UpstreamConnection, WireCall } from './connection.ts';
import { Pool } from './pool.ts';

/** As much as a connection reads at once. */
const READ_BYTES = 65_536;

let server: Server;
let sockets: Socket[];
let pool: Pool;
/** What the upstream does with a call; `place` is that of its connection. */
let answer: (socket: Duplex, name: string, place: number) => void;
let accept: (socket: Socket) => Duplex;
const identity: { context?: ReturnType<typeof createSecureContext> } = {};

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'));
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
  const parameters = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ');
  const made = spawnSync('openssl', [...parameters, ...files]);
  expect(made.status, String(made.stderr)).toBe(0);
  const [key, cert] = ['key.pem', 'certificate.pem'].map((name) => readFileSync(join(folder, name)));
  identity.context = createSecureContext({ key, cert });
  rmSync(folder, { recursive: true });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
});
afterAll(() => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
});

beforeEach(async () => {
  sockets = [];
  accept = (socket) => socket;
  server = createServer({ noDelay: true }, (socket) => {
    const place = sockets.push(socket) - 1;
    socket.on('error', () => {});
    const opened = accept(socket);
    opened.on('error', () => {}).on('data', (bytes) => answer(opened, nameIn(bytes), place));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  pool.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const nameIn = (bytes: Buffer): string => /^GET \/(\S+) /.exec(bytes.toString('latin1'))?.[1] ?? '';

function openPool(connectionsMax: number, isSecure = false): void {
  const { port } = server.address() as AddressInfo;
  const address = { host: '127.0.0.1', port, isSecure, connectMs: 60_000, keptSeconds: 4, lookup: null };
  pool = new Pool({ address, connectionsMax, refusalOf: () => null });
}

class NamedCall implements CarriedCall {
  readonly wire: WireCall;
  readonly ended: Promise<string>;
  isOver = false;
  connection: UpstreamConnection | null = null;
  body = '';
  heads = 0;
  #hasCrossed = false;
  onPiece: (call: NamedCall) => void = () => {};
  #end: (outcome: string) => void = () => {};

  constructor(name: string) {
    this.wire = { head: `GET /${name} HTTP/1.1\r\nhost: x\r\n\r\n`, body: null };
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  onDeparture(connection: UpstreamConnection): void {
    this.connection = connection;
  }

  onCrossed(): boolean {
    const isRepeated = !this.#hasCrossed && !this.isOver;
    this.#hasCrossed = true;
    return isRepeated;
  }

  onHead(): void {
    this.heads += 1;
  }

  onBody(piece: Buffer): void {
    this.body += piece.toString('latin1');
    if (!this.isOver) this.onPiece(this);
  }

  onComplete(): void {
    this.#end(this.body);
  }

  onBroken(): void {
    this.giveUp();
  }

  giveUp(): void {
    this.isOver = true;
    this.#end('broken');
    this.connection?.abort();
  }
}

function send(name: string): NamedCall {
  const call = new NamedCall(name);
  pool.send(call);
  return call;
}

const answerOf = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const STOLEN = answerOf('stolen');

/** An answer of exactly so many bytes. */
function answerOfBytes(bytes: number): string {
  const head = answerOf('x'.repeat(bytes)).length - bytes;
  return answerOf('x'.repeat(bytes - head));
}

test('what stands behind an answer that fills a read is not the answer to a call that waits', async () => {
  openPool(1);
  answer = (socket, name, place) => {
    socket.write(place === 0 ? answerOfBytes(READ_BYTES) + STOLEN : answerOf(name));
  };
  const [, second] = [send('first'), send('second')];
  expect(await second.ended).toBe('second');
  expect(sockets).toHaveLength(2);
});

test('what comes while an answer is held back is not the answer to the next call', async () => {
  openPool(1);
  answer = (socket, name) => socket.write(answerOf(name));
  const first = send('first');
  first.onPiece = ({ connection }) => connection?.pause();
  const second = send('second');
  await expect.poll(() => first.body).toBe('first');
  await new Promise((resolve) => sockets[0]?.write(STOLEN, resolve));
  first.connection?.resume();
  expect([await first.ended, await second.ended]).toEqual(['first', 'second']);
});

/** The encrypted side of a connection, whose records leave together when it is told. */
function recordsOf(socket: Socket): { side: Duplex; hold(): void; release(): void } {
  let held: Buffer[] | null = null;
  const side = new Duplex({
    read() {},
    write(record: Buffer, _, done) {
      if (held === null) socket.write(record);
      else held.push(record);
      done();
    },
  });
  socket.on('data', (bytes) => side.push(bytes)).on('end', () => side.push(null));
  return {
    side,
    hold() {
      held = [];
    },
    release() {
      socket.write(Buffer.concat(held ?? []));
      held = null;
    },
  };
}

test.each([false, true])(
  'what stands in a record of its own is not the answer to a call that waits, nor another one to the first (pause: %s)',
  async (isPaused) => {
    openPool(1, true);
    let records: ReturnType<typeof recordsOf> | null = null;
    accept = (socket) => {
      records = recordsOf(socket);
      return new TLSSocket(records.side, { isServer: true, secureContext: identity.context });
    };
    answer = (socket, name, place) => {
      if (place > 0) {
        socket.write(answerOf(name));
        return;
      }
      records?.hold();
      socket.write(answerOf(name));
      socket.write(STOLEN, () => records?.release());
    };
    const [first, second] = [send('first'), send('second')];
    if (isPaused) {
      first.onPiece = ({ connection }) => {
        connection?.pause();
        setImmediate(() => connection?.resume());
      };
    }
    expect([await first.ended, await second.ended, first.heads]).toEqual(['first', 'second', 1]);
    expect(sockets).toHaveLength(2);
  },
);

const plans = fc.array(
  fc.record({
    length: fc.oneof(fc.nat(40), fc.constantFrom(65_000, 65_536, 131_072, 200_000)),
    isChunked: fc.boolean(),
    behind: fc.constantFrom('', '', '', '\r\n', STOLEN, `\r\n${STOLEN}`, 'HTTP/1.1 100 Continue\r\n\r\n'),
    before: fc.constantFrom('', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    cuts: fc.array(fc.nat(210_000), { maxLength: 3 }),
    ending: fc.constantFrom('stay', 'stay', 'stay', 'end', 'reset'),
    reader: fc.constantFrom('reads', 'reads', 'pauses', 'leaves'),
  }),
  { minLength: 2, maxLength: 12 },
);
type Plan = typeof plans extends fc.Arbitrary<(infer Each)[]> ? Each : never;

const bodyOf = (name: string, { length }: Plan): string => `${name}|`.repeat(length / (name.length + 1) + 1);

function bytesOf(name: string, plan: Plan): Buffer {
  const body = bodyOf(name, plan);
  if (!plan.isChunked) return Buffer.from(plan.before + answerOf(body) + plan.behind);
  const chunks = (body.match(/.{1,9000}/g) ?? []).map((text) => `${text.length.toString(16)}\r\n${text}\r\n`);
  const head = `${plan.before}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return Buffer.from(`${head}${chunks.join('')}0\r\n\r\n${plan.behind}`);
}

test('many calls over few connections: each gets its own answer, whole, or none', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 3 }), async (planned, connectionsMax) => {
      openPool(connectionsMax);
      answer = (socket, name) => {
        const plan = planned[Number(name)];
        // A call of the run before, which was given up there.
        if (plan === undefined) return;
        const bytes = bytesOf(name, plan);
        // What is behind leaves with the last of the answer: later bytes nobody could tell from a late answer.
        const last = bytes.length - plan.behind.length - 1;
        const places = plan.cuts.filter((cut) => cut < last).toSorted((left, right) => left - right);
        const step = (from: number): void => {
          const to = places.shift() ?? bytes.length;
          socket.write(bytes.subarray(from, to));
          if (to < bytes.length) setImmediate(step, to);
          else if (plan.ending === 'end') socket.end();
          else if (plan.ending === 'reset') (socket as Socket).resetAndDestroy();
        };
        step(0);
      };
      const calls = planned.map(({ reader }, index) => {
        const call = send(String(index));
        if (reader === 'leaves') call.onPiece = () => call.giveUp();
        if (reader === 'pauses') {
          call.onPiece = ({ connection }) => {
            connection?.pause();
            setImmediate(() => call.isOver || connection?.resume());
          };
        }
        return call;
      });
      const outcomes = await Promise.all(calls.map(({ ended }) => ended));
      pool.destroy();
      for (const [index, plan] of planned.entries()) {
        const whole = bodyOf(String(index), plan);
        expect(whole.startsWith(calls[index]?.body ?? '?')).toBe(true);
        expect([whole, 'broken']).toContain(outcomes[index]);
        expect(calls[index]?.heads).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 100 },
  );
}, 60_000);
