// Answers that are kept to be given again: in memory, and in Redis where there is one, always sealed. The name of an
// answer is made from everything that it depends on, so an answer that is found always fits. Losing one loses no fact.
// It is no loading cache: an answer comes from a call that was made anyway, is sealed, and is bounded for each owner.

import { createHmac } from 'node:crypto';
import { HOUR_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import { deriveKey, openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { Redis, RedisScript } from '../../platform/redis/redis.ts';

export type AnswerName = Readonly<{
  /** The owner, for the bounds on what each may keep. */
  owner: string;
  digest: string;
}>;

export type Answers = Readonly<{
  /** `parts` is everything that the answer depends on, the owner too. */
  nameOf(owner: string, parts: readonly string[]): AnswerName;
  find(name: AnswerName): Promise<Buffer | null>;
  keep(name: AnswerName, answer: Buffer, ttlSeconds: number): void;
  /** Frees the memory of some owners' answers. A cache is emptied for good by giving its answers other names. */
  drop(isOwner: (owner: string) => boolean): void;
  figures(): Readonly<{ bytes: number; hits: number; misses: number }>;
}>;

/** A larger answer is not kept. */
const ANSWER_BYTES_MAX = 1024 * 1024;
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
/** One owner may have one part in this many of the whole memory. */
const OWNERS_SHARE = 8;
/** What one owner may have put into Redis through this process within an hour. */
const REDIS_BYTES_MAX = 32 * 1024 * 1024;
const REDIS_OWNERS_MAX = 10_000;

const findScript: RedisScript = { name: 'answers_find', keyCount: 1, lua: `return redis.call('GET', KEYS[1])` };
const keepScript: RedisScript = {
  name: 'answers_keep',
  keyCount: 1,
  lua: `return redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])`,
};

type Kept = Readonly<{ sealed: Buffer; owner: string; untilMs: number }>;
type Written = { bytes: number; sinceMs: number };

type AnswersInput = Readonly<{
  clock: Clock;
  /** The key that names are made with. */
  hashKey: Buffer;
  sealingKey: SealingKey;
  redis: Redis | null;
  bytesMax?: number;
}>;

export const createAnswers = (input: AnswersInput): Answers => new KeptAnswers(input);

class KeptAnswers implements Answers {
  readonly #clock: Clock;
  readonly #redis: Redis | null;
  readonly #nameKey: Buffer;
  readonly #sealingKey: SealingKey;
  readonly #bytesMax: number;
  /** In the order of use, the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #bytesOf = new Map<string, number>();
  readonly #written = new RecentMap<Written>({ sizeMax: REDIS_OWNERS_MAX });
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor({ clock, hashKey, sealingKey, redis, bytesMax = MEMORY_BYTES_MAX }: AnswersInput) {
    this.#clock = clock;
    this.#redis = redis;
    this.#nameKey = deriveKey(hashKey, 'answers.name');
    this.#sealingKey = sealingKey;
    this.#bytesMax = bytesMax;
  }

  nameOf(owner: string, parts: readonly string[]): AnswerName {
    const digest = createHmac('sha256', this.#nameKey);
    for (const part of [owner, ...parts]) digest.update(`${Buffer.byteLength(part)}:`).update(part);
    return { owner, digest: digest.digest('base64url') };
  }

  async find(name: AnswerName): Promise<Buffer | null> {
    const sealed = this.#inMemory(name.digest) ?? (await this.#inRedis(name.digest));
    const answer = sealed === null ? null : openBytes(this.#sealingKey, sealed, name.digest);
    if (answer === null) this.#misses += 1;
    else this.#hits += 1;
    return answer;
  }

  keep(name: AnswerName, answer: Buffer, ttlSeconds: number): void {
    if (answer.length > ANSWER_BYTES_MAX) return;
    const sealed = sealBytes(this.#sealingKey, answer, name.digest);
    const untilMs = this.#clock.nowMs() + ttlSeconds * 1_000;
    this.#remember(name.digest, { sealed, owner: name.owner, untilMs });
    if (this.#redis === null || !this.#mayWrite(name.owner, sealed.length)) return;
    const parameters = [sealed.toString('base64'), ttlSeconds];
    // Redis holds no fact: without it the answer is found in this process only.
    this.#redis.run({ script: keepScript, keys: [keyOf(name.digest)], parameters }).catch(() => {});
  }

  drop(isOwner: (owner: string) => boolean): void {
    this.#drop(Number.POSITIVE_INFINITY, ({ owner }) => isOwner(owner));
  }

  figures() {
    return { bytes: this.#bytes, hits: this.#hits, misses: this.#misses };
  }

  #inMemory(digest: string): Buffer | null {
    const kept = this.#kept.get(digest);
    if (kept === undefined) return null;
    this.#forget(digest, kept);
    if (kept.untilMs <= this.#clock.nowMs()) return null;
    this.#remember(digest, kept);
    return kept.sealed;
  }

  async #inRedis(digest: string): Promise<Buffer | null> {
    if (this.#redis === null) return null;
    const found = await this.#redis
      .run({ script: findScript, keys: [keyOf(digest)], parameters: [] })
      .catch(() => null);
    return typeof found === 'string' ? Buffer.from(found, 'base64') : null;
  }

  #remember(digest: string, kept: Kept): void {
    const before = this.#kept.get(digest);
    if (before !== undefined) this.#forget(digest, before);
    const { owner, sealed } = kept;
    this.#makeRoom(owner, sealed.length);
    this.#kept.set(digest, kept);
    this.#bytes += sealed.length;
    this.#bytesOf.set(owner, (this.#bytesOf.get(owner) ?? 0) + sealed.length);
  }

  /** An owner whose share is full loses its own answers first, so no owner can fill the memory of all. */
  #makeRoom(owner: string, bytes: number): void {
    const ownMax = this.#bytesMax / OWNERS_SHARE;
    if ((this.#bytesOf.get(owner) ?? 0) + bytes > ownMax) this.#drop(bytes, (kept) => kept.owner === owner);
    if (this.#bytes + bytes > this.#bytesMax) this.#drop(bytes, () => true);
  }

  #drop(bytes: number, isDroppable: (kept: Kept) => boolean): void {
    let freed = 0;
    for (const [digest, kept] of this.#kept) {
      if (freed >= bytes) return;
      if (!isDroppable(kept)) continue;
      this.#forget(digest, kept);
      freed += kept.sealed.length;
    }
  }

  #forget(digest: string, { owner, sealed }: Kept): void {
    this.#kept.delete(digest);
    this.#bytes -= sealed.length;
    const left = (this.#bytesOf.get(owner) ?? 0) - sealed.length;
    if (left > 0) this.#bytesOf.set(owner, left);
    else this.#bytesOf.delete(owner);
  }

  #mayWrite(owner: string, bytes: number): boolean {
    const nowMs = this.#clock.nowMs();
    const known = this.#written.get(owner);
    const written = known === undefined || nowMs - known.sinceMs >= HOUR_MS ? { bytes: 0, sinceMs: nowMs } : known;
    written.bytes += bytes;
    this.#written.set(owner, written);
    return written.bytes <= REDIS_BYTES_MAX;
  }
}

const keyOf = (digest: string): string => `answer:${digest}`;
