// Announces a new revision to every process and waits until all have it: an operator whose change was answered finds it
// in force at whichever process the next call reaches. A process that does not answer delays this only a little; it
// catches up by itself.

import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import * as store from './store.ts';

const CHANGED_TOPIC = 'catalog';
const TAKEN_TOPIC = 'catalog-taken';
const WAIT_MS = 1_000;

type AnnouncementOptions = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  /** Brings this process up to date and answers the revision it then has. */
  take(): Promise<bigint>;
}>;

export type Announcement = Readonly<{
  /** Resolves when every process has this revision, or when one has not answered in time. */
  announce(revision: bigint): Promise<void>;
}>;

type Wait = Readonly<{ revision: bigint; processCount: number; takenBy: Set<string>; end(): void }>;

export function createAnnouncement({ database, notices, clock, logger, take }: AnnouncementOptions): Announcement {
  const processId = newId('prc');
  const waits = new Set<Wait>();

  const answer = async (): Promise<void> => {
    const revision = await take();
    await notices.publish(TAKEN_TOPIC, `${revision} ${processId}`);
  };
  notices.subscribe(CHANGED_TOPIC, () => {
    answer().catch((error: unknown) => {
      logger.error({ error: asError(error) }, 'a new catalog could not be taken');
    });
  });
  notices.subscribe(TAKEN_TOPIC, (payload) => {
    const [revision = '0', takenBy = ''] = payload.split(' ');
    for (const wait of waits) {
      if (BigInt(revision) < wait.revision) continue;
      wait.takenBy.add(takenBy);
      if (wait.takenBy.size >= wait.processCount) wait.end();
    }
  });

  /** Listens from now on, so that no answer comes before the wait begins. */
  const waitForAll = (revision: bigint, processCount: number) => {
    let stop = (): void => {};
    const all = new Promise<void>((resolve) => {
      const wait: Wait = { revision, processCount, takenBy: new Set(), end: resolve };
      const stopTimer = clock.every(WAIT_MS, () => {
        logger.warn({ processCount, takenBy: wait.takenBy.size }, 'not every process has taken the new catalog yet');
        resolve();
      });
      waits.add(wait);
      stop = () => {
        stopTimer();
        waits.delete(wait);
      };
    });
    return { all, stop };
  };

  return {
    async announce(revision) {
      // When the number of processes cannot be read, the revision is announced without waiting.
      const processCount = await store.countListeners(database).catch(() => 0);
      const { all, stop } = waitForAll(revision, processCount);
      try {
        await notices.publish(CHANGED_TOPIC, 'changed');
        if (processCount > 0) await all;
      } finally {
        stop();
      }
    },
  };
}
