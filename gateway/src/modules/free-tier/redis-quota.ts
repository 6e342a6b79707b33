// The quota of free models as several processes count it together in Redis, with one round trip for a take. The
// database is asked when Redis does not know a user's day, and for users who were served while Redis was away. During
// that time each process grants its share, from what it was told last and from the database.

import { DAY_MS, MINUTE_MS } from '../../canonical/calendar.ts';
import type { FreeWindow } from '../../canonical/model.ts';
import { type SpendWindow, windowEndMs } from '../../canonical/spend-window.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import type { Redis, RedisScript } from '../../platform/redis/redis.ts';
import { type Windows, windowsAt } from './free-counter.ts';
import type { FreeDecision, FreeGrant, FreeQuota, FreeTake } from './free-quota.ts';
import { ProcessQuota, refusal, type ToldUse } from './process-quota.ts';
import { openQuotaBooks, type QuotaBooks } from './quota-books.ts';

/** Clocks of processes differ: a window may be asked for a little after its end. */
const KEPT_MS = 60_000;
/** Beyond it the oldest users are dropped; when they come back, their records have long been in the database. */
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
  readonly #books: QuotaBooks;
  readonly #alone: ProcessQuota;
  /** Users whose recent use Redis has not been told. */
  readonly #servedAlone = new Set<string>();
  #wasAway = false;

  constructor({ redis, shareOf, database, clock, logger }: RedisQuotaOptions) {
    this.#redis = redis;
    this.#clock = clock;
    this.#books = openQuotaBooks(database, logger);
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
      const used = await this.#books.read(request.subject, windowsAt(nowMs).dayMs);
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
    // When this is lost, the caller misses what it gave back until the window ends, and nobody else does.
    this.#redis.run({ script: giveBackScript, keys, parameters }).catch(() => {});
  }

  /** Null when Redis did not answer in time. */
  async #ask(request: FreeTake, nowMs: number, books: string): Promise<QuotaReply | null> {
    const { subject, units, models, address } = request;
    const leftOf = (window: SpendWindow): number => windowEndMs(window, nowMs) - nowMs + KEPT_MS;
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
        parameters: [units, leftOf('day'), leftOf('minute'), books, ...ofAddress, ...ofModels],
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

/** Windows are numbered from the epoch, so that processes of earlier versions count in the same keys during an upgrade. */
function keysOf(subject: string, addressName: string | null, at: Windows): string[] {
  const windows = [`day:${at.dayMs / DAY_MS}`, `minute:${at.minuteMs / MINUTE_MS}`];
  const names = [`free:user:${subject}`, `free:address:${addressName ?? ''}`];
  return names.flatMap((name) => windows.map((window) => `${name}:${window}`));
}

export function createRedisQuota(options: RedisQuotaOptions): FreeQuota {
  return new RedisQuota(options);
}

// A take of free quotas as Redis decides it, all or nothing and in one step for all processes, and its return. The day
// of a user is a hash with a field for each model; where it is missing the database is asked first, because an empty
// Redis would grant the whole day again.

// KEYS: day and minute of the user, day and minute of the address.
// ARGV: units, the keys' times to live, what the books say (JSON, or empty), the address's two limits (or empty), and
// then for each model its name and its two limits.
const takeLua = `
local units, day_left, minute_left = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local books, address_minute_max, address_day_max = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])

if books ~= '' then
  redis.call('HSET', KEYS[1], '', '0')
  for model, used in pairs(cjson.decode(books)) do
    local known = tonumber(redis.call('HGET', KEYS[1], model) or '0')
    if used > known then redis.call('HSET', KEYS[1], model, used) end
  end
  redis.call('PEXPIRE', KEYS[1], day_left)
elseif redis.call('EXISTS', KEYS[1]) == 0 then
  return { 'unknown' }
end

if address_day_max then
  local day = tonumber(redis.call('GET', KEYS[3]) or '0')
  if day + units > address_day_max then return { 'address', 'daily' } end
  local minute = tonumber(redis.call('GET', KEYS[4]) or '0')
  if minute + 1 > address_minute_max then return { 'address', 'rpm' } end
end

local passed = {}
for index = 7, #ARGV, 3 do
  local model, minute_max, day_max = ARGV[index], tonumber(ARGV[index + 1]), tonumber(ARGV[index + 2])
  local day = tonumber(redis.call('HGET', KEYS[1], model) or '0')
  local minute = tonumber(redis.call('HGET', KEYS[2], model) or '0')
  if day + units > day_max then
    passed[#passed + 1] = 'daily'
  elseif minute + 1 > minute_max then
    passed[#passed + 1] = 'rpm'
  else
    redis.call('HSET', KEYS[1], model, day + units)
    redis.call('HSET', KEYS[2], model, minute + 1)
    redis.call('PEXPIRE', KEYS[2], minute_left)
    local address_day, address_minute = -1, -1
    if address_day_max then
      address_day = redis.call('INCRBY', KEYS[3], units)
      redis.call('PEXPIRE', KEYS[3], day_left)
      address_minute = redis.call('INCR', KEYS[4])
      redis.call('PEXPIRE', KEYS[4], minute_left)
    end
    return { 'granted', day + units, minute + 1, address_day, address_minute, unpack(passed) }
  end
end
return { 'model', unpack(passed) }
`;

// A key that is missing, because its window is over or Redis lost it, is not created by a return.
const giveBackLua = `
local units = tonumber(ARGV[1])
local model = ARGV[2]
local function lower_field(key, amount)
  local known = tonumber(redis.call('HGET', key, model) or '0')
  if known > 0 then redis.call('HSET', key, model, math.max(0, known - amount)) end
end
local function lower(key, amount)
  local known = tonumber(redis.call('GET', key) or '0')
  if known > 0 then redis.call('DECRBY', key, math.min(known, amount)) end
end
lower_field(KEYS[1], units)
lower_field(KEYS[2], 1)
if ARGV[3] == '1' then
  lower(KEYS[3], units)
  lower(KEYS[4], 1)
end
return 1
`;

const takeScript: RedisScript = { name: 'tollgateTakeFreeQuota', keyCount: 4, lua: takeLua };
const giveBackScript: RedisScript = { name: 'tollgateReturnFreeQuota', keyCount: 4, lua: giveBackLua };

type QuotaReply =
  | Readonly<{ outcome: 'granted'; passedOver: readonly FreeWindow[]; model: ToldUse; address: ToldUse | null }>
  | Readonly<{ outcome: 'refused'; by: 'model' | 'address'; passedOver: readonly FreeWindow[] }>
  /** Redis has nothing of the user's day. */
  | Readonly<{ outcome: 'unknown' }>;

const toWindow = (word: unknown): FreeWindow => (word === 'rpm' ? 'rpm' : 'daily');

/** Null for an answer that the script does not give. */
function readQuotaReply(reply: unknown): QuotaReply | null {
  if (!Array.isArray(reply)) return null;
  const [outcome, ...rest] = reply;
  switch (outcome) {
    case 'unknown':
      return { outcome };
    case 'address':
    case 'model':
      return { outcome: 'refused', by: outcome, passedOver: rest.map(toWindow) };
    case 'granted': {
      const [units = 0, requests = 0, addressUnits = -1, addressRequests = -1] = rest.slice(0, 4).map(Number);
      const address = addressUnits < 0 ? null : { units: addressUnits, requests: addressRequests };
      return { outcome, passedOver: rest.slice(4).map(toWindow), model: { units, requests }, address };
    }
    default:
      return null;
  }
}
