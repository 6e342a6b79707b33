// The quota of free models as several processes count it together in Redis, with one round trip for a take. The books in
// the database are asked when Redis does not know a user's day, and for whoever was served while Redis was away. While
// it is, each process grants its share by itself, from what it was told last and from the books.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { type Windows, windowsAt } from './free-counter.ts';
import type { FreeDecision, FreeGrant, FreeQuota, FreeTake } from './free-quota.ts';
import { ProcessQuota, refusal } from './process-quota.ts';
import { giveBackScript, type QuotaReply, readQuotaReply, takeScript } from './quota-script.ts';
import { openUsageBooks, type UsageBooks } from './usage-books.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Clocks of processes differ: a window may be asked for a little after its end. */
const KEPT_MS = 60_000;
/** Beyond it the oldest are forgotten, whose records have long been in the books when they come back. */
const SERVED_ALONE_MAX = 100_000;

type RedisQuotaOptions = Readonly<{
  redis: Redis;
  shareOf: ShareOf;
  database: Database;
  clock: Clock;
  logger: Logger;
}>;

class RedisQuota implements FreeQuota {
  readonly #redis: Redis;
  readonly #clock: Clock;
  readonly #books: UsageBooks;
  readonly #alone: ProcessQuota;
  /** Whose use Redis has not heard of. */
  readonly #servedAlone = new Set<string>();
  #wasAway = false;

  constructor({ redis, shareOf, database, clock, logger }: RedisQuotaOptions) {
    this.#redis = redis;
    this.#clock = clock;
    this.#books = openUsageBooks(database, logger);
    this.#alone = new ProcessQuota({ books: this.#books, clock, shareOf });
  }

  async take(request: FreeTake): Promise<FreeDecision> {
    const isAway = this.#redis.state() === 'away';
    if (isAway && !this.#wasAway) this.#alone.distrust();
    this.#wasAway = isAway;
    if (isAway) return this.#takeAlone(request);
    const nowMs = this.#clock.nowMs();
    const isBehind = this.#servedAlone.has(request.subject);
    let reply = isBehind ? null : await this.#ask(request, nowMs, '');
    if (isBehind || reply?.outcome === 'unknown') {
      const used = await this.#books.read(request.subject, windowsAt(nowMs).day);
      reply = await this.#ask(request, nowMs, JSON.stringify(Object.fromEntries(used)));
      if (reply !== null) this.#servedAlone.delete(request.subject);
    }
    if (reply === null || reply.outcome === 'unknown') return this.#takeAlone(request);
    return this.#decide(request, reply, nowMs);
  }

  giveBack(grant: FreeGrant): void {
    this.#alone.giveBack(grant);
    if (this.#redis.state() === 'away') return;
    const { subject, modelId, addressName, units } = grant;
    const keys = keysOf(subject, addressName, grant);
    const parameters = [units, modelId, addressName === null ? 0 : 1];
    // Lost, it costs the caller what it gave back until the window turns, and nobody more.
    this.#redis.run({ script: giveBackScript, keys, parameters }).catch(() => {});
  }

  /** Null when Redis did not answer in time. */
  async #ask(request: FreeTake, nowMs: number, books: string): Promise<QuotaReply | null> {
    const { subject, units, models, address } = request;
    const leftOf = (sizeMs: number): number => sizeMs - (nowMs % sizeMs) + KEPT_MS;
    const ofAddress = address === null ? ['', ''] : [address.requestsPerMinute, address.unitsPerDay];
    const ofModels = models.flatMap(({ modelId, requestsPerMinute, unitsPerDay }) => [
      modelId,
      requestsPerMinute,
      unitsPerDay,
    ]);
    try {
      const reply = await this.#redis.run({
        script: takeScript,
        keys: keysOf(subject, address?.name ?? null, windowsAt(nowMs)),
        parameters: [units, leftOf(DAY_MS), leftOf(MINUTE_MS), books, ...ofAddress, ...ofModels],
      });
      return readQuotaReply(reply);
    } catch {
      return null;
    }
  }

  async #takeAlone(request: FreeTake): Promise<FreeDecision> {
    const decision = await this.#alone.take(request);
    if (decision.outcome === 'granted') this.#remember(request.subject);
    return decision;
  }

  #decide(request: FreeTake, reply: Exclude<QuotaReply, { outcome: 'unknown' }>, nowMs: number): FreeDecision {
    const { passedOver } = reply;
    if (reply.outcome === 'refused') {
      const { by } = reply;
      const window = passedOver[0] ?? 'daily';
      return refusal({ by, window, passedOver: by === 'address' ? [] : passedOver, nowMs });
    }
    const { subject, units, models, address } = request;
    const grant: FreeGrant = {
      subject,
      modelId: models[passedOver.length]?.modelId ?? '',
      addressName: address?.name ?? null,
      units,
      ...windowsAt(nowMs),
    };
    this.#alone.hear(grant, reply);
    return { outcome: 'granted', grant, passedOver };
  }

  #remember(subject: string): void {
    this.#servedAlone.add(subject);
    if (this.#servedAlone.size <= SERVED_ALONE_MAX) return;
    for (const oldest of this.#servedAlone) {
      this.#servedAlone.delete(oldest);
      return;
    }
  }
}

function keysOf(subject: string, addressName: string | null, at: Windows): string[] {
  const windows = [`day:${at.day}`, `minute:${at.minute}`];
  const names = [`free:user:${subject}`, `free:address:${addressName ?? ''}`];
  return names.flatMap((name) => windows.map((window) => `${name}:${window}`));
}

export function createRedisQuota(options: RedisQuotaOptions): FreeQuota {
  return new RedisQuota(options);
}
