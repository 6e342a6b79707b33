// A change of a key makes every process drop its cached caller: this one at once, the others when the notice arrives.

import type { Notices } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { CallerCache } from './caller-cache.ts';

/** `id` is the id of a key, a user or an account. */
export type Announce = (id: string) => Promise<void>;

const NOTICE_TOPIC = 'keys';

/**
 * A notice that cannot be sent does not undo the change: it is sent when the connection is back, and cached callers
 * live for a bounded time.
 */
export function createAnnounce(
  cache: Pick<CallerCache, 'invalidate' | 'clear'>,
  notices: Notices,
  logger: Logger,
): Announce {
  const unsent = new Set<string>();
  const announce = async (id: string): Promise<void> => {
    cache.invalidate(id);
    try {
      await notices.publish(NOTICE_TOPIC, id);
    } catch (error) {
      unsent.add(id);
      const cause = asError(error);
      logger.error({ error: cause }, 'a change of keys could not be announced to other processes');
    }
  };
  notices.subscribe(NOTICE_TOPIC, (id) => cache.invalidate(id));
  notices.onGap(() => {
    logger.info({}, 'notices were interrupted: all cached keys are read again');
    cache.clear();
    const waiting = [...unsent];
    unsent.clear();
    for (const id of waiting) void announce(id);
  });
  return announce;
}
