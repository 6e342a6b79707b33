// A take of free quotas as Redis decides it, all or nothing and in one step for all processes, and its return. The day of
// a user is a hash with a field for each model; where it is missing the books are asked for first, because an empty
// Redis would give the whole day away again.

import type { FreeWindow } from '../../canonical/model.ts';
import type { RedisScript } from '../../platform/redis/redis.ts';
import type { ToldUse } from './process-quota.ts';

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

// What is not there, because its window is over or Redis has forgotten it, is not made by a return.
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

export const takeScript: RedisScript = { name: 'tollgateTakeFreeQuota', keyCount: 4, lua: takeLua };
export const giveBackScript: RedisScript = { name: 'tollgateReturnFreeQuota', keyCount: 4, lua: giveBackLua };

export type QuotaReply =
  | Readonly<{ outcome: 'granted'; passedOver: readonly FreeWindow[]; model: ToldUse; address: ToldUse | null }>
  | Readonly<{ outcome: 'refused'; by: 'model' | 'address'; passedOver: readonly FreeWindow[] }>
  /** Redis has nothing of the user's day. */
  | Readonly<{ outcome: 'unknown' }>;

const toWindow = (word: unknown): FreeWindow => (word === 'rpm' ? 'rpm' : 'daily');

/** Null for an answer that the script does not give. */
export function readQuotaReply(reply: unknown): QuotaReply | null {
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
