// Removes old codes and sessions of the institution plan. Nothing depends on it, because readers check the time.

import type { Edu } from '../modules/edu/create-edu.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const EDU_INTERVAL_MS = 3_600_000;

type EduTidying = Readonly<{ edu: Pick<Edu, 'forgetOld'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startEduTidying({ edu, clock, logger }: EduTidying): () => Promise<void> {
  const run = (): Promise<void> =>
    edu.forgetOld().catch((error: unknown) => {
      // A database that is away is reported elsewhere.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'old sessions could not be removed');
    });
  let running = Promise.resolve();
  const stop = clock.every(EDU_INTERVAL_MS, () => {
    running = running.then(run);
  });
  return async () => {
    stop();
    await running;
  };
}
