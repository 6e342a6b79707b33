// Bodies of calls that are streams, as files are sent: a source that comes in any pieces, halts, breaks or is not as
// long as it said, an upstream that reads slowly, answers early or closes, and a client that leaves, in any order. No
// upstream gets a byte that is not the call's, no call is left without an end, no source is left open, and the
// connection carries the next call or none.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { Flight, Transport } from '../../src/upstreams/transport/receiver.ts';
import { createTransport } from '../../src/upstreams/transport/transport.ts';
import type { Random } from './mutate.ts';
import { fuzz, TIMEOUT_MS } from './size.ts';

const AT_ONCE = 4;
/** Far longer than any call here takes. */
const HUNG_MS = 60_000;
/** Around what a socket takes before it asks for a pause, and what a connection reads at once. */
const PIECE_BYTES = [0, 1, 2, 100, 16_383, 16_384, 16_385, 65_536, 200_000];
const CALLS_KEPT = 100;
const TURNS = [0, 0, 0, 1, 2, 5, 20];

type Plan = Readonly<{
  /** The turns that the source waits before each piece, and how long the piece is. */
  pieces: readonly (readonly [turns: number, bytes: number])[];
  byteLength: number;
  /** The source ends with an error. */
  breaks: boolean;
  /** What the upstream does when it has read so much of the body. */
  upstream: 'answers' | 'closes';
  atByte: number;
  /** It waits so long after each read. */
  readTurns: number;
  /** Null where the client stays. */
  leavesAfterTurns: number | null;
}>;

function planFrom(random: Random): Plan {
  const pieces = Array.from(
    { length: 1 + random.below(8) },
    () => [random.pick(TURNS), random.pick(PIECE_BYTES)] as const,
  );
  const sum = pieces.reduce((bytes, piece) => bytes + piece[1], 0);
  const byteLength = Math.max(1, random.below(4) === 0 ? sum + random.pick([-16_384, -1, 1, 100_000]) : sum);
  const isPatient = random.below(2) === 0;
  return {
    pieces,
    byteLength,
    breaks: random.below(8) === 0,
    upstream: isPatient || random.below(2) === 0 ? 'answers' : 'closes',
    atByte: isPatient ? byteLength : random.below(byteLength + 1),
    readTurns: random.pick(TURNS),
    leavesAfterTurns: random.below(3) === 0 ? random.below(40) : null,
  };
}

/** A call, what the upstream has of it, and what is wrong with that. */
class Sent {
  readonly plan: Plan;
  /** As long as the source is, or as it said. */
  readonly body: Buffer;
  received = 0;
  isOpened = false;
  isOver = false;
  /** Pieces that were taken of the source when the call was over. */
  takenInVain = 0;
  readonly closed: Promise<void>;
  #close: () => void = () => {};

  constructor(plan: Plan, number: number) {
    this.plan = plan;
    const given = plan.pieces.reduce((bytes, piece) => bytes + piece[1], 0);
    this.body = Buffer.alloc(Math.max(given, plan.byteLength), `${number},`);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  async *source(): AsyncGenerator<Buffer> {
    this.isOpened = true;
    let start = 0;
    try {
      for (const [turns, bytes] of this.plan.pieces) {
        await pass(turns);
        if (this.isOver) this.takenInVain += 1;
        yield this.body.subarray(start, start + bytes);
        start += bytes;
      }
      if (this.plan.breaks) throw new Error('the source is broken');
    } finally {
      this.#close();
    }
  }

  /** The upstream may have all that was announced before it is known that the source is wrong. */
  get reachesLength(): boolean {
    let sum = 0;
    return this.plan.pieces.some((piece) => {
      sum += piece[1];
      return sum === this.plan.byteLength;
    });
  }

  get isHonest(): boolean {
    const given = this.plan.pieces.reduce((bytes, piece) => bytes + piece[1], 0);
    return !this.plan.breaks && given === this.plan.byteLength;
  }
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextRound();
}

const calls = new Map<string, Sent>();
const wrongs: string[] = [];
const HEAD_END = '\r\n\r\n';
let server: Server;
let transport: Transport;
let baseUrl: string;

/** Reads the calls of one connection, each with all of its body and nothing else before the next. */
async function serve(socket: Socket): Promise<void> {
  let kept: Buffer = Buffer.alloc(0);
  let call: Sent | null = null;
  let name = '';
  let hasActed = false;
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    while (kept.length > 0) {
      if (call === null) {
        const end = kept.indexOf(HEAD_END);
        if (end === -1) break;
        const head = kept.toString('latin1', 0, end);
        name = /^POST \/(\d+) HTTP/.exec(head)?.[1] ?? '';
        call = calls.get(name) ?? null;
        if (call === null || !`${head}\r\n`.includes(`\r\ncontent-length: ${call.plan.byteLength}\r\n`)) {
          wrongs.push(`no call begins like this: ${head.slice(0, 200)}`);
          socket.destroy();
          return;
        }
        kept = kept.subarray(end + HEAD_END.length);
        hasActed = false;
      }
      const { plan, body, received } = call;
      const part = kept.subarray(0, plan.byteLength - received);
      if (!part.equals(body.subarray(received, received + part.length))) wrongs.push(`${name} has the bytes of others`);
      call.received += part.length;
      kept = kept.subarray(part.length);
      if (!hasActed && call.received >= plan.atByte) {
        hasActed = true;
        if (plan.upstream === 'closes') {
          socket.destroy();
          return;
        }
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`);
      }
      if (call.received < plan.byteLength) break;
      call = null;
    }
    await pass(call?.plan.readTurns ?? 0);
  }
}

beforeAll(async () => {
  server = createServer({ noDelay: true }, (socket) => {
    // What ends a connection is judged by the call.
    serve(socket).catch(() => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = createTransport({ clock: systemClock, guard: { lookup: () => {}, refusalOf: () => null } });
});

afterAll(async () => {
  await transport.close();
  server.close();
});

type End = Readonly<{ kind: 'answered' | 'failed' | 'left'; text: string }>;

let count = 0;

async function send(plan: Plan, isStream: boolean): Promise<Readonly<{ sent: Sent; end: End }>> {
  count += 1;
  const name = String(count);
  const sent = new Sent(plan, count);
  calls.set(name, sent);
  // An upstream may read of a call after its client has left.
  calls.delete(String(count - CALLS_KEPT));
  const heard: End[] = [];
  let text = '';
  const ended = new Promise<void>((resolve) => {
    const hear = (end: End): void => {
      if (sent.isOver) wrongs.push(`${name} has ended once more: ${end.kind}`);
      sent.isOver = true;
      heard.push(end);
      resolve();
    };
    const flight: Flight = transport.send(
      {
        baseUrl,
        path: `/${name}`,
        headers: [],
        body: isStream ? { byteLength: plan.byteLength, open: () => sent.source() } : sent.body,
        timeouts: { firstByteMs: HUNG_MS, idleMs: HUNG_MS, totalMs: HUNG_MS },
        responseBytesMax: 1_000,
      },
      {
        onStart: () => {},
        onData: (piece) => {
          text += piece.toString();
        },
        onEnd: () => hear({ kind: 'answered', text }),
        onFail: ({ kind, detail }) => hear({ kind: 'failed', text: `${kind}: ${detail}` }),
      },
    );
    if (plan.leavesAfterTurns !== null) {
      pass(plan.leavesAfterTurns).then(() => {
        flight.cancel();
        if (!sent.isOver) hear({ kind: 'left', text: '' });
      });
    }
  });
  await ended;
  if (sent.isOpened) await sent.closed;
  return { sent, end: heard[0] as End };
}

function findingIn({ sent, end }: Readonly<{ sent: Sent; end: End }>): string | null {
  const { plan } = sent;
  if (end.kind === 'failed' && end.text.startsWith('timeout')) return `it hung: ${end.text}`;
  // One may have been on its way.
  if (sent.takenInVain > 1) return `${sent.takenInVain} pieces were read for nobody`;
  if (end.kind === 'left') return null;
  const isPatient = plan.upstream === 'answers' && plan.atByte === plan.byteLength;
  if (isPatient && sent.isHonest && end.kind !== 'answered') return `it failed for no reason: ${end.text}`;
  if (end.kind === 'failed') return null;
  if (plan.upstream === 'closes') return 'it was answered by nobody';
  if (sent.received < plan.atByte) return 'it was answered before its time';
  return isPatient && !sent.isHonest && !sent.reachesLength ? 'it was answered although its body is wrong' : null;
}

const PLAIN: Plan = {
  ...{ pieces: [[0, 10]], byteLength: 10, breaks: false, upstream: 'answers', atByte: 10 },
  ...{ readTurns: 0, leavesAfterTurns: null },
};

test('FUZZ-4 bodies that are streams', { timeout: TIMEOUT_MS }, async () => {
  const share = { name: 'request bodies', family: 'http', portion: 0.01, inputsLeast: 400, atOnce: AT_ONCE } as const;
  const ends = new Set<string>();
  await fuzz(share, async (random) => {
    const plan = planFrom(random);
    const outcome = await send(plan, true);
    ends.add(outcome.end.kind);
    const after = await send(PLAIN, false);
    const wrong = wrongs[0] ?? findingIn(outcome) ?? findingIn(after);
    if (wrong !== null) expect.fail(`${wrong}\n${JSON.stringify(plan)}`);
  });
  expect([...ends].sort()).toEqual(['answered', 'failed', 'left']);
});
