// Calls with an idempotency key: which process runs one, and the answer that everybody who repeats it gets for a day.
// Keys and bodies are kept as digests and answers are sealed. What an account may keep is bounded, because it uses the
// operator's disk.

import { createHmac } from 'node:crypto';
import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import { deriveKey, openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { removeAll } from '../../platform/db/forget.ts';
import { createSharedGate, LARGE_READS } from '../../platform/gate.ts';
import { newId, newTimedId } from '../../platform/ids.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { SMALL_BYTES_MAX } from '../../platform/memory-room.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import * as store from './store.ts';

type RepeatKey = Readonly<{
  accountId: string;
  /** The API key or student session of the call: nobody repeats another caller's call. */
  keyId: string;
  idempotencyKey: string;
  /** What distinguishes this request from others, in pieces. */
  body: readonly (string | Buffer)[];
}>;

/** An answer as it is kept; `head` goes with the bytes. */
export type KeptAnswer = Readonly<{ head: string; body: Buffer }>;

export type ClaimedCall = Readonly<{ id: string; generationId: string; calledAtMs: number }>;

type RepeatState =
  | Readonly<{ kind: 'mine'; call: ClaimedCall }>
  | Readonly<{ kind: 'running' }>
  | Readonly<{ kind: 'other-body' }>
  /** Null where the answer was too large to be kept, or was sealed with another secret. */
  | Readonly<{ kind: 'answered'; answer: KeptAnswer | null }>
  /** The account keeps as much as it may. */
  | Readonly<{ kind: 'full' }>;

export type Repeats = Readonly<{
  nameOf(key: RepeatKey): RepeatName;
  claim(name: RepeatName): Promise<RepeatState>;
  /** `answer` is null where the answer cannot be kept. */
  finish(call: ClaimedCall, answer: KeptAnswer | null): Promise<void>;
  /** Ends without an answer worth repeating: the next request with the key runs the call anew. */
  abandon(call: ClaimedCall): Promise<void>;
  /** As `abandon`, for a call that was charged: the next request runs it as the same call. */
  rest(call: ClaimedCall): Promise<void>;
  /** Renews the rows of all calls that run here. */
  beat(): Promise<void>;
  /** Removes what has expired; answers how many. */
  sweep(): Promise<number>;
}>;

export type RepeatName = Readonly<{ id: string; accountId: string; bodyDigest: string }>;

export const REPEATS_BEAT_MS = 2_000;
/** Five renewals that did not come. */
const DEAD_AFTER_MS = 10_000;
const KEPT_MS = DAY_MS;
const CALLS_MAX = 100_000n;
const MIB = 1024n * 1024n;
/** Little before the first credit of an account, because accounts cost nothing to make. */
const BYTES_MAX = { beforeCredit: 32n * MIB, afterCredit: 256n * MIB };
const SWEPT_AT_ONCE = 1_000;
const COUNTED_FOR_MS = 10_000;
const ACCOUNTS_COUNTED_MAX = 10_000;

type RepeatsInput = Readonly<{
  database: Database;
  clock: Clock;
  /** The key that names and digests are made with. */
  hashKey: Buffer;
  sealingKey: SealingKey;
  hasHadCredit(accountId: string): Promise<boolean>;
}>;

export const createRepeats = (input: RepeatsInput): Repeats => new KeptCalls(input);

class KeptCalls implements Repeats {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #nameKey: Buffer;
  readonly #bodyKey: Buffer;
  readonly #sealingKey: SealingKey;
  readonly #hasHadCredit: RepeatsInput['hasHadCredit'];
  readonly #runner = newId('req');
  readonly #running = new Set<string>();
  readonly #largeReads = createSharedGate(LARGE_READS);
  /** Whether an account keeps as much as it may. */
  readonly #counted: LoadingCache<boolean>;

  constructor({ database, clock, hashKey, sealingKey, hasHadCredit }: RepeatsInput) {
    this.#hasHadCredit = hasHadCredit;
    this.#database = database;
    this.#clock = clock;
    this.#nameKey = deriveKey(hashKey, 'repeats.name');
    this.#bodyKey = deriveKey(hashKey, 'repeats.body');
    this.#sealingKey = sealingKey;
    this.#counted = new LoadingCache({ clock, sizeMax: ACCOUNTS_COUNTED_MAX, ageMaxMs: COUNTED_FOR_MS });
  }

  nameOf({ accountId, keyId, idempotencyKey, body }: RepeatKey): RepeatName {
    const id = createHmac('sha256', this.#nameKey).update(`${accountId}\n${keyId}\n${idempotencyKey}`).digest('hex');
    const digest = createHmac('sha256', this.#bodyKey);
    for (const piece of body) digest.update(piece).update('\n');
    return { id, accountId, bodyDigest: digest.digest('hex') };
  }

  async claim(name: RepeatName): Promise<RepeatState> {
    if (await this.#isFull(name.accountId)) {
      const state = await this.#read(name);
      return state.kind === 'running' ? { kind: 'full' } : state;
    }
    const nowMs = this.#clock.nowMs();
    const claimed = await store.claim(this.#database, {
      ...name,
      generationId: newTimedId('gen', nowMs),
      calledAt: new Date(nowMs),
      runner: this.#runner,
      now: new Date(nowMs),
      deadline: new Date(nowMs - DEAD_AFTER_MS),
      expiresAt: new Date(nowMs + KEPT_MS),
    });
    if (claimed === null) return this.#read(name);
    this.#running.add(name.id);
    const { generationId, calledAt } = claimed;
    return { kind: 'mine', call: { id: name.id, generationId, calledAtMs: calledAt.getTime() } };
  }

  async finish({ id }: ClaimedCall, answer: KeptAnswer | null): Promise<void> {
    this.#running.delete(id);
    const sealed = answer === null ? null : sealBytes(this.#sealingKey, packed(answer), placeOf(id));
    const expiresAt = new Date(this.#clock.nowMs() + KEPT_MS);
    await store.finish(this.#database, { id, runner: this.#runner, answer: sealed, expiresAt });
  }

  async abandon({ id }: ClaimedCall): Promise<void> {
    this.#running.delete(id);
    await store.abandon(this.#database, id, this.#runner);
  }

  async rest({ id }: ClaimedCall): Promise<void> {
    this.#running.delete(id);
    await store.rest(this.#database, id, this.#runner);
  }

  async beat(): Promise<void> {
    if (this.#running.size === 0) return;
    await store.beat(this.#database, [...this.#running], this.#runner, new Date(this.#clock.nowMs()));
  }

  sweep(): Promise<number> {
    return removeAll(SWEPT_AT_ONCE, (limit) => store.sweep(this.#database, new Date(this.#clock.nowMs()), limit));
  }

  async #read(name: RepeatName): Promise<RepeatState> {
    const { id, accountId, bodyDigest } = name;
    const known = await store.findCall(this.#database, name, SMALL_BYTES_MAX);
    // The call has been given up since: the next request may run it.
    if (known === null) return { kind: 'running' };
    if (known.bodyDigest !== bodyDigest) return { kind: 'other-body' };
    if (known.isRunning) return { kind: 'running' };
    const isLarge = known.answerBytes > SMALL_BYTES_MAX;
    const read = () => store.readAnswer(this.#database, name);
    const answer = isLarge ? await this.#largeReads(accountId, read) : known.answer;
    return { kind: 'answered', answer: answer === null ? null : opened(this.#sealingKey, answer, id) };
  }

  #isFull(accountId: string): boolean | Promise<boolean> {
    return this.#counted.find(accountId, async () => {
      const { calls, bytes } = await store.readKept(this.#database, accountId);
      if (calls >= CALLS_MAX || bytes >= BYTES_MAX.afterCredit) return true;
      return bytes >= BYTES_MAX.beforeCredit && !(await this.#hasHadCredit(accountId));
    });
  }
}

const placeOf = (id: string): string => `repeat:${id}`;

/** The length of the head, the head, the bytes. */
function packed({ head, body }: KeptAnswer): Buffer {
  const headBytes = Buffer.from(head);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(headBytes.length);
  return Buffer.concat([length, headBytes, body]);
}

function opened(key: SealingKey, sealed: Buffer, id: string): KeptAnswer | null {
  const bytes = openBytes(key, sealed, placeOf(id));
  if (bytes === null) return null;
  const end = 4 + bytes.readUInt32BE(0);
  return { head: bytes.toString('utf8', 4, end), body: bytes.subarray(end) };
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'idempotent_calls', key: { id: 'text' }, column: 'answer', type: 'bytea', rowsAtOnce: 16 },
    purposes: ['repeats', 'repeats.answer'],
    boundTo: ({ id = '' }) => placeOf(id),
  },
];
