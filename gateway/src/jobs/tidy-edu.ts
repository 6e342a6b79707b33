// Removes old codes and sessions of the institution plan. Nothing depends on it, because readers check the time.

import type { Edu } from '../modules/edu/create-edu.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const EDU_INTERVAL_MS = 3_600_000;

type EduTidying = Readonly<{ edu: Pick<Edu, 'forgetOld'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startEduTidying({ edu, clock, logger }: EduTidying): () => Promise<void> {
  const failure = 'old sessions could not be removed';
  return startRounds(() => edu.forgetOld(), { intervalMs: EDU_INTERVAL_MS, failure, clock, logger }).stop;
}
