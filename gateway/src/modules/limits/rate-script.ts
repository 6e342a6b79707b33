// The decision of the rate limit as Redis makes it, in one step for all processes. What a process has granted by itself
// while Redis was away is added first, and what it was told before an empty Redis came back counts as a floor.

import type { RedisScript } from '../../platform/redis/redis.ts';

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
export const rateScript: RedisScript = { name: 'tollgateTakeRate', keyCount: 3, lua };

export type RateReply = Readonly<{
  outcome: 'allowed' | 'exceeded' | 'penalized';
  /** What all processes have granted in the window, this one included. */
  count: number;
  /** In the past, or 0, when there is none. */
  blockedUntilMs: number;
}>;

const OUTCOMES = ['allowed', 'exceeded', 'penalized'] as const;

/** Null for an answer that this script does not give. */
export function readRateReply(reply: unknown): RateReply | null {
  if (!Array.isArray(reply)) return null;
  const outcome = OUTCOMES.find((known) => known === reply[0]);
  const [, count, blockedUntilMs] = reply.map(Number);
  if (outcome === undefined || !Number.isFinite(count) || !Number.isFinite(blockedUntilMs)) return null;
  return { outcome, count: count ?? 0, blockedUntilMs: blockedUntilMs ?? 0 };
}
