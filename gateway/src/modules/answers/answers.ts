// Answers that are kept to be given again: in memory, and in Redis where there is one, always sealed. The name of an
// answer is made from everything that it depends on, so an answer that is found always fits. Losing one loses no fact.
// It is no loading cache: an answer comes from a call that was made anyway, is sealed, and is bounded for each owner.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { deriveKey, openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { createRedisAnswers, type RedisAnswers, type RedisAnswersInput } from './redis-answers.ts';

/** `userId` is null where all users of the account share answers. */
type AnswerOwner = Readonly<{ accountId: string; userId: string | null }>;

export type AnswerName = Readonly<{
  /** For the bounds on what each may keep. */
  owner: AnswerOwner;
  digest: string;
}>;

export type Answers = Readonly<{
  /** `parts` is everything that the answer depends on beside its owner. */
  nameOf(owner: AnswerOwner, parts: readonly string[]): AnswerName;
  find(name: AnswerName): Promise<Buffer | null>;
  keep(name: AnswerName, answer: Buffer, ttlSeconds: number): void;
  /**
   * Frees the memory of a user's own answers, or with null of all in the account. A cache is emptied for good by giving
   * its answers other names.
   */
  drop(accountId: string, onlyUserId: string | null): void;
  figures(): Readonly<{ bytes: number; hits: number; misses: number }>;
}>;

/** A larger answer is not kept. */
const ANSWER_BYTES_MAX = 1024 * 1024;
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
/** One owner may have one part in this many of the whole memory. */
const OWNERS_SHARE = 8;

type Kept = Readonly<{ sealed: Buffer; owner: AnswerOwner; untilMs: number }>;

type AnswersInput = Readonly<{
  clock: Clock;
  /** The key that names are made with. */
  hashKey: Buffer;
  sealingKey: SealingKey;
  redis: Redis | null;
  /** What may be in Redis, for all accounts. */
  redisBytesMax: number;
  hasHadCredit: RedisAnswersInput['hasHadCredit'];
  bytesMax?: number;
}>;

export const createAnswers = (input: AnswersInput): Answers => new KeptAnswers(input);

class KeptAnswers implements Answers {
  readonly #clock: Clock;
  readonly #shared: RedisAnswers | null;
  readonly #nameKey: Buffer;
  readonly #sealingKey: SealingKey;
  readonly #bytesMax: number;
  /** In the order of use, the least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor({ clock, hashKey, sealingKey, redis, bytesMax = MEMORY_BYTES_MAX, ...shared }: AnswersInput) {
    this.#clock = clock;
    this.#shared =
      redis === null ? null : createRedisAnswers({ ...shared, redis, clock, bytesMax: shared.redisBytesMax });
    this.#nameKey = deriveKey(hashKey, 'answers.name');
    this.#sealingKey = sealingKey;
    this.#bytesMax = bytesMax;
  }

  nameOf(owner: AnswerOwner, parts: readonly string[]): AnswerName {
    const digest = createHmac('sha256', this.#nameKey);
    for (const part of [nameOfOwner(owner), ...parts]) digest.update(`${Buffer.byteLength(part)}:`).update(part);
    return { owner, digest: digest.digest('base64url') };
  }

  async find(name: AnswerName): Promise<Buffer | null> {
    const sealed = this.#inMemory(name.digest) ?? (await this.#shared?.find(name.digest).catch(() => null)) ?? null;
    const answer = sealed === null ? null : openBytes(this.#sealingKey, sealed, name.digest);
    if (answer === null) this.#misses += 1;
    else this.#hits += 1;
    return answer;
  }

  keep({ owner, digest }: AnswerName, answer: Buffer, ttlSeconds: number): void {
    if (answer.length > ANSWER_BYTES_MAX) return;
    const sealed = sealBytes(this.#sealingKey, answer, digest);
    const untilMs = this.#clock.nowMs() + ttlSeconds * 1_000;
    this.#remember(digest, { sealed, owner, untilMs });
    // Redis holds no fact: without it the answer is found in this process only.
    this.#shared?.keep({ accountId: owner.accountId, digest, sealed, ttlSeconds }).catch(() => {});
  }

  drop(accountId: string, onlyUserId: string | null): void {
    this.#drop(
      Number.POSITIVE_INFINITY,
      ({ owner }) => owner.accountId === accountId && (onlyUserId === null || owner.userId === onlyUserId),
    );
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

  #remember(digest: string, kept: Kept): void {
    const before = this.#kept.get(digest);
    if (before !== undefined) this.#forget(digest, before);
    const { owner, sealed } = kept;
    this.#makeRoom(owner, sealed.length);
    this.#kept.set(digest, kept);
    this.#bytes += sealed.length;
    const name = nameOfOwner(owner);
    this.#bytesOf.set(name, (this.#bytesOf.get(name) ?? 0) + sealed.length);
  }

  /** An owner whose share is full loses its own answers first, so no owner can fill the memory of all. */
  #makeRoom(owner: AnswerOwner, bytes: number): void {
    const ownMax = this.#bytesMax / OWNERS_SHARE;
    const name = nameOfOwner(owner);
    if ((this.#bytesOf.get(name) ?? 0) + bytes > ownMax) {
      this.#drop(bytes, (kept) => nameOfOwner(kept.owner) === name);
    }
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
    const name = nameOfOwner(owner);
    const left = (this.#bytesOf.get(name) ?? 0) - sealed.length;
    if (left > 0) this.#bytesOf.set(name, left);
    else this.#bytesOf.delete(name);
  }
}

const nameOfOwner = ({ accountId, userId }: AnswerOwner): string => `${accountId} ${userId ?? ''}`;
