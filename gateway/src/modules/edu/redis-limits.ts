// The same limits, counted in Redis for several processes. While Redis is away each process allows its share of a
// limit, which includes what it has allowed before.

import type { Clock } from '../../platform/clock.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import type { Redis, RedisScript } from '../../platform/redis/redis.ts';
import { type EduLimit, type EduLimits, eduRules, SlidingWindow, secondsUntil } from './limits.ts';

// Answers the oldest counted time when there is no room, else nothing.
const lua = `
local now, span, max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local first = redis.call('LINDEX', KEYS[1], 0)
while first and tonumber(first) <= now - span do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
if redis.call('LLEN', KEYS[1]) >= max then return tonumber(first) end
redis.call('RPUSH', KEYS[1], now)
redis.call('PEXPIRE', KEYS[1], span)
return -1
`;

const script: RedisScript = { name: 'tollgateTakeSliding', keyCount: 1, lua };

type RedisLimitsOptions = Readonly<{ redis: Redis; shareOf: ShareOf; clock: Clock }>;

export function createRedisLimits({ redis, shareOf, clock }: RedisLimitsOptions): EduLimits {
  const windows: Readonly<Record<EduLimit, SlidingWindow>> = {
    'request-source': new SlidingWindow(eduRules['request-source']),
    'request-key': new SlidingWindow(eduRules['request-key']),
    'guess-source': new SlidingWindow(eduRules['guess-source']),
    mailbox: new SlidingWindow(eduRules.mailbox),
  };
  const takeAlone = (limit: EduLimit, subject: string): number =>
    windows[limit].take(subject, clock.nowMs(), shareOf(eduRules[limit].max));

  return {
    async take(limit, subject) {
      if (redis.state() === 'away') return takeAlone(limit, subject);
      const { max, spanMs } = eduRules[limit];
      const nowMs = clock.nowMs();
      let firstMs: number;
      try {
        const call = { script, keys: [`edu:${limit}:${subject}`], parameters: [nowMs, spanMs, max] };
        firstMs = Number(await redis.run(call));
      } catch {
        return takeAlone(limit, subject);
      }
      if (firstMs >= 0) return secondsUntil(firstMs + spanMs, nowMs);
      windows[limit].add(subject, nowMs);
      return 0;
    },
  };
}
