// The answers that processes share, in Redis. How much there is of each account, and of all, is counted there by the
// hour in which it expires, so the bounds hold for all processes together, and for as long as answers are kept. What
// finds no room is not kept: Redis also counts rates, and a full one would count no more.

import { HOUR_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { Redis, RedisScript } from '../../platform/redis/redis.ts';

/** Each account has one part in this many of the whole. */
const ACCOUNT_SHARE = 8;
/** An account that never had credit has so much less, and all of them together leave half of the whole to the others. */
const BEFORE_CREDIT_SHARE = 8;
/** What an answer takes beside its bytes: its name, and what Redis needs for both. */
const ENTRY_BYTES = 256;
/** An account without room is not asked for again so soon: asking takes as long as keeping. */
const FULL_MS = 60_000;
const FULL_MAX = 10_000;

const findScript: RedisScript = { name: 'answers_find', keyCount: 1, lua: `return redis.call('GET', KEYS[1])` };

const keepLua = `
local function held(key)
  local total = 0
  local hours = redis.call('HGETALL', key)
  for index = 1, #hours, 2 do
    if tonumber(hours[index]) < tonumber(ARGV[4]) then redis.call('HDEL', key, hours[index])
    else total = total + tonumber(hours[index + 1]) end
  end
  return total
end
local bytes = tonumber(ARGV[3])
if held(KEYS[2]) + bytes > tonumber(ARGV[6]) or held(KEYS[3]) + bytes > tonumber(ARGV[7]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for index = 2, 3 do
  redis.call('HINCRBY', KEYS[index], ARGV[5], bytes)
  redis.call('EXPIRE', KEYS[index], 93600)
end
return 1
`;
const keepScript: RedisScript = { name: 'answers_keep', keyCount: 3, lua: keepLua };

export type RedisAnswersInput = Readonly<{
  redis: Redis;
  clock: Clock;
  /** What the answers of all accounts may take. */
  bytesMax: number;
  hasHadCredit(accountId: string): Promise<boolean>;
}>;

type RedisAnswer = Readonly<{ accountId: string; digest: string; sealed: Buffer; ttlSeconds: number }>;

/** Redis holds no fact: both fail while it is away. */
export type RedisAnswers = Readonly<{
  find(digest: string): Promise<Buffer | null>;
  keep(answer: RedisAnswer): Promise<void>;
}>;

export function createRedisAnswers({ redis, clock, bytesMax, hasHadCredit }: RedisAnswersInput): RedisAnswers {
  const fullUntilMs = new RecentMap<number>({ sizeMax: FULL_MAX });
  return {
    async find(digest) {
      const found = await redis.run({ script: findScript, keys: [keyOf(digest)], parameters: [] });
      return typeof found === 'string' ? Buffer.from(found, 'base64') : null;
    },
    async keep({ accountId, digest, sealed, ttlSeconds }) {
      const nowMs = clock.nowMs();
      if ((fullUntilMs.get(accountId) ?? 0) > nowMs) return;
      const accountMax = bytesMax / ACCOUNT_SHARE;
      const bounds = (await hasHadCredit(accountId))
        ? [accountMax, bytesMax]
        : [accountMax / BEFORE_CREDIT_SHARE, bytesMax / 2];
      const text = sealed.toString('base64');
      const hours = [nowMs, nowMs + ttlSeconds * 1_000].map((ms) => Math.floor(ms / HOUR_MS));
      const parameters = [text, ttlSeconds, text.length + ENTRY_BYTES, ...hours, ...bounds];
      const keys = [keyOf(digest), `answers:${accountId}`, 'answers'];
      const isKept = await redis.run({ script: keepScript, keys, parameters });
      if (isKept === 0) fullUntilMs.set(accountId, nowMs + FULL_MS);
    },
  };
}

const keyOf = (digest: string): string => `answer:${digest}`;
