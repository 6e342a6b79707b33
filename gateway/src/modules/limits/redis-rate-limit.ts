// The rate limit of several processes, counted in Redis with one round trip. While Redis is away or slow each process
// decides by itself, from what it was told last and within its share, so that no call waits or fails because of Redis.

import type { Clock } from '../../platform/clock.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import { LateAnswerError, type Redis, type RedisScript } from '../../platform/redis/redis.ts';
import { PENALTY_MS, PenaltyBook, VIOLATION_SPAN_MS, VIOLATIONS_MAX } from './penalty-book.ts';
import { dropFirst, type RateDecision, type RateLimiter, SUBJECTS_MAX, secondsUntil, WINDOW_MS } from './rate-limit.ts';

type RedisRateLimiterOptions = Readonly<{
  /** Keeps subjects of several limiters apart. */
  name: string;
  redis: Redis;
  shareOf: ShareOf;
  clock: Clock;
  hasPenalty: boolean;
}>;

/** What this process knows of a subject in the current window. */
type Known = {
  /** What all processes had granted when Redis answered last. */
  told: number;
  /** Granted here since then without Redis, and not reported to it yet. */
  own: number;
  /** The part of `own` that is being reported to Redis, which may fail. */
  reporting: number;
  /** Granted here because Redis was late. Redis may have counted them, so they are reported only once it says no. */
  unsure: number;
};

/** A question that Redis has not answered in time, and what was decided without it. */
type LateQuestion = Readonly<{ known: Known; reported: number; isUnsure: boolean; isGranted: boolean }>;

/** Clocks of processes differ: a window may be asked for a little after its end. */
const KEPT_MS = 60_000;

export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  return new RedisRateLimiter(options);
}

class RedisRateLimiter implements RateLimiter {
  readonly #options: RedisRateLimiterOptions;
  readonly #penalties = new PenaltyBook();
  #windowIndex = -1;
  #known = new Map<string, Known>();

  constructor(options: RedisRateLimiterOptions) {
    this.#options = options;
  }

  take(subject: string, limit: number): RateDecision | Promise<RateDecision> {
    const { redis } = this.#options;
    if (redis.state() === 'away') return this.#decideAlone(subject, limit);
    const nowMs = this.#turn();
    const known = this.#knownOf(subject);
    const parameters = this.#parameters({ subject, limit, known, nowMs });
    const reported = known.own;
    known.own = 0;
    known.reporting += reported;
    let late: LateQuestion | null = null;
    const asked = redis.run({
      script: rateScript,
      keys: this.#keys(subject),
      parameters,
      onLate: (reply) => late !== null && this.#hearLate(subject, late, reply),
      onLost: () => late !== null && unanswered(late),
    });
    return asked.then(
      (answer) => {
        known.reporting -= reported;
        const reply = readRateReply(answer);
        if (reply === null) {
          known.own += reported;
          return this.#decideAlone(subject, limit);
        }
        this.#hear(subject, known, reply);
        return decisionOf(reply, { limit, nowMs });
      },
      (error: unknown) => {
        const decision = this.#decideAlone(subject, limit);
        const isGranted = decision.outcome === 'allowed';
        // A call that was decided in a later window than it was asked in is counted in the later one.
        const isUnsure = isGranted && this.#known.get(subject) === known;
        if (isUnsure) {
          known.own -= 1;
          known.unsure += 1;
        }
        late = { known, reported, isUnsure, isGranted };
        if (!(error instanceof LateAnswerError)) unanswered(late);
        return decision;
      },
    );
  }

  /** Begins a new window when its time has come; answers the current time. */
  #turn(): number {
    const nowMs = this.#options.clock.nowMs();
    const index = Math.floor(nowMs / WINDOW_MS);
    if (index !== this.#windowIndex) {
      this.#windowIndex = index;
      this.#known = new Map();
      this.#penalties.forgetOld(nowMs);
    }
    return nowMs;
  }

  #knownOf(subject: string): Known {
    let known = this.#known.get(subject);
    if (known === undefined) {
      if (this.#known.size >= SUBJECTS_MAX) dropFirst(this.#known);
      known = { told: 0, own: 0, reporting: 0, unsure: 0 };
      this.#known.set(subject, known);
    }
    return known;
  }

  #keys(subject: string): string[] {
    const name = `rate:${this.#options.name}:${subject}`;
    return [`${name}:${this.#windowIndex}`, `${name}:block`, `${name}:refusals`];
  }

  #parameters(asked: Readonly<{ subject: string; limit: number; known: Known; nowMs: number }>): number[] {
    const { subject, limit, known, nowMs } = asked;
    const { hasPenalty } = this.#options;
    const leftMs = (this.#windowIndex + 1) * WINDOW_MS - nowMs + KEPT_MS;
    const penalties = [hasPenalty ? VIOLATIONS_MAX : 0, VIOLATION_SPAN_MS, PENALTY_MS];
    const blockedUntilMs = hasPenalty ? this.#penalties.blockedUntilMs(subject) : 0;
    return [limit, known.told, known.own, nowMs, leftMs, ...penalties, blockedUntilMs];
  }

  #hear(subject: string, known: Known, reply: RateReply): void {
    known.told = Math.max(known.told, reply.count);
    if (this.#options.hasPenalty && reply.blockedUntilMs > 0) this.#penalties.block(subject, reply.blockedUntilMs);
  }

  /** Redis has counted what was reported, and the call itself where it has allowed it. */
  #hearLate(subject: string, late: LateQuestion, answer: unknown): void {
    const { known, reported, isUnsure, isGranted } = late;
    const reply = readRateReply(answer);
    if (reply === null) {
      unanswered(late);
      return;
    }
    this.#hear(subject, known, reply);
    known.reporting -= reported;
    if (isUnsure) known.unsure -= 1;
    const isCounted = reply.outcome === 'allowed';
    if (isUnsure && !isCounted) known.own += 1;
    // Redis has counted a call that was refused here, so its place is free.
    if (!isGranted && isCounted) known.own -= 1;
  }

  #decideAlone(subject: string, limit: number): RateDecision {
    const nowMs = this.#turn();
    const { hasPenalty, shareOf } = this.#options;
    const blockedUntilMs = hasPenalty ? this.#penalties.blockedUntilMs(subject) : 0;
    const known = this.#knownOf(subject);
    if (nowMs < blockedUntilMs)
      return decisionOf({ outcome: 'penalized', count: limit, blockedUntilMs }, { limit, nowMs });
    const remaining = shareOf(limit - known.told) - known.own - known.reporting - known.unsure;
    if (remaining <= 0) {
      if (hasPenalty) this.#penalties.addViolation(subject, nowMs);
      return decisionOf({ outcome: 'exceeded', count: limit, blockedUntilMs: 0 }, { limit, nowMs });
    }
    known.own += 1;
    return decisionOf({ outcome: 'allowed', count: limit - remaining + 1, blockedUntilMs: 0 }, { limit, nowMs });
  }
}

/** Redis has counted nothing, as far as anybody knows: all of it is reported with the next question. */
function unanswered({ known, reported, isUnsure }: LateQuestion): void {
  known.reporting -= reported;
  known.own += reported;
  if (!isUnsure) return;
  known.unsure -= 1;
  known.own += 1;
}

function decisionOf(reply: RateReply, { limit, nowMs }: Readonly<{ limit: number; nowMs: number }>): RateDecision {
  const { outcome, count, blockedUntilMs } = reply;
  const resetAtMs = (Math.floor(nowMs / WINDOW_MS) + 1) * WINDOW_MS;
  const untilMs = outcome === 'penalized' ? blockedUntilMs : resetAtMs;
  return {
    outcome,
    limit,
    remaining: outcome === 'allowed' ? Math.max(0, limit - count) : 0,
    resetAtSeconds: resetAtMs / 1000,
    retryAfterSeconds: outcome === 'allowed' ? 0 : secondsUntil(untilMs, nowMs),
  };
}

// The decision of the rate limit as Redis makes it, in one step for all processes. What a process granted by itself
// while Redis was away is added first; after Redis came back empty, what the process was told before is the least.

const lua = `
local limit, told, own = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now, left = tonumber(ARGV[4]), tonumber(ARGV[5])
local violations_max, violation_span, penalty = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local known_block = tonumber(ARGV[9])

local stored = tonumber(redis.call('GET', KEYS[1]) or '0')
local count = math.max(stored, told) + own

local block = tonumber(redis.call('GET', KEYS[2]) or '0')
if known_block > block and known_block > now then
  block = known_block
  redis.call('SET', KEYS[2], block, 'PX', block - now)
end

local outcome = 'allowed'
if now < block then
  outcome = 'penalized'
elseif count < limit then
  count = count + 1
else
  outcome = 'exceeded'
end
if count ~= stored then redis.call('SET', KEYS[1], count, 'PX', left) end

if outcome == 'exceeded' and violations_max > 0 then
  redis.call('RPUSH', KEYS[3], now)
  while tonumber(redis.call('LINDEX', KEYS[3], 0)) <= now - violation_span do redis.call('LPOP', KEYS[3]) end
  redis.call('PEXPIRE', KEYS[3], violation_span)
  if redis.call('LLEN', KEYS[3]) >= violations_max then
    redis.call('DEL', KEYS[3])
    block = now + penalty
    redis.call('SET', KEYS[2], block, 'PX', penalty)
  end
end
return { outcome, count, block }
`;

/** Keys: the count of the window, the end of a block, the times of refusals. */
const rateScript: RedisScript = { name: 'tollgateTakeRate', keyCount: 3, lua };

type RateReply = Readonly<{
  outcome: 'allowed' | 'exceeded' | 'penalized';
  /** What all processes have granted in the window, this one included. */
  count: number;
  /** 0 or a time in the past when there is no block. */
  blockedUntilMs: number;
}>;

const OUTCOMES = ['allowed', 'exceeded', 'penalized'] as const;

/** Null for an answer that this script does not give. */
function readRateReply(reply: unknown): RateReply | null {
  if (!Array.isArray(reply)) return null;
  const outcome = OUTCOMES.find((known) => known === reply[0]);
  const [, count, blockedUntilMs] = reply.map(Number);
  if (outcome === undefined || !Number.isFinite(count) || !Number.isFinite(blockedUntilMs)) return null;
  return { outcome, count: count ?? 0, blockedUntilMs: blockedUntilMs ?? 0 };
}
