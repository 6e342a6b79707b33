// What an organization has set, in memory and ready to run, so that a call finds it without I/O. What is not known yet
// is read first: to go on without it could send a call where its organization wants it not to go.

import type { Clock } from './clock.ts';
import type { Notices } from './db/database.ts';
import { LoadingCache } from './loading-cache.ts';
import { asError, type Logger } from './logger.ts';

const ORGS_MAX = 20_000;
const AGE_MAX_MS = 600_000;

type SettingsCacheOptions<Value> = Readonly<{
  /** Where changes are announced, by the organization's id. */
  topic: string;
  load(orgId: string): Promise<Value>;
  notices: Notices;
  clock: Clock;
  logger: Logger;
}>;

type SettingsCache<Value> = Readonly<{
  find(orgId: string): Value | Promise<Value>;
  /** After a change: this process forgets at once, the others when the notice reaches them. */
  announce(orgId: string): Promise<void>;
}>;

export function createSettingsCache<Value>(options: SettingsCacheOptions<Value>): SettingsCache<Value> {
  const { topic, load, notices, clock, logger } = options;
  const cache = new LoadingCache<Value>({ clock, sizeMax: ORGS_MAX, ageMaxMs: AGE_MAX_MS });
  notices.subscribe(topic, (orgId) => cache.forget(orgId));
  notices.onGap(() => cache.clear());
  return {
    find: (orgId) => cache.find(orgId, () => load(orgId)),
    async announce(orgId) {
      cache.forget(orgId);
      try {
        await notices.publish(topic, orgId);
      } catch (error) {
        // The change is committed by now; the others find out when they next read.
        logger.warn({ topic, error: asError(error) }, "a change of an organization's settings was not announced");
      }
    },
  };
}
