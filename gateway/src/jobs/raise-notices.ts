// Looks for causes of notices. Many processes may run it: the first one in a round looks for all.

import type { OwnerNotices } from '../modules/notices/notices.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const NOTICE_INTERVAL_MS = 2_000;

type NoticeJob = Readonly<{ ownerNotices: Pick<OwnerNotices, 'look'>; clock: Clock; logger: Logger }>;

/** Runs at once and then regularly. Stopping it waits for the look that is under way. */
export function startNotices({ ownerNotices, clock, logger }: NoticeJob): () => Promise<void> {
  let running: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      await ownerNotices.look();
    } catch (error) {
      // A database that is away is reported elsewhere, and the next look is soon.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'causes for notices could not be looked for');
    }
  };
  const begin = (): void => {
    running ??= look().finally(() => {
      running = null;
    });
  };
  begin();
  const stop = clock.every(NOTICE_INTERVAL_MS, begin);
  return async () => {
    stop();
    await running;
  };
}
