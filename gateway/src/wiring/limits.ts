// What limits how often somebody may call: counted by all processes together where there is Redis, else by each alone.

import type { Services } from '../endpoints/services.ts';
import { createProcessQuota } from '../modules/free-tier/process-quota.ts';
import { createRedisQuota } from '../modules/free-tier/redis-quota.ts';
import { createRateLimiter, type RateLimiter } from '../modules/limits/rate-limit.ts';
import { createRedisRateLimiter } from '../modules/limits/redis-rate-limit.ts';
import type { Parts } from './parts.ts';

export function createLimits({
  clock,
  logger,
  storage: { database, redis: parts },
}: Parts): Pick<Services, 'freeQuota' | 'rateLimiter' | 'listingLimiter'> {
  const limiter = (name: string, hasPenalty: boolean): RateLimiter =>
    parts === null
      ? createRateLimiter({ clock, hasPenalty })
      : createRedisRateLimiter({ name, ...parts, clock, hasPenalty });
  return {
    rateLimiter: limiter('calls', true),
    listingLimiter: limiter('listings', false),
    freeQuota:
      parts === null
        ? createProcessQuota({ database, clock, logger })
        : createRedisQuota({ ...parts, database, clock, logger }),
  };
}
