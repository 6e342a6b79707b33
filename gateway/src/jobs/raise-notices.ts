// Looks for causes of notices. Many processes may run it: the first one in a round looks for all.

import type { OwnerNotices } from '../modules/notices/notices.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const NOTICE_INTERVAL_MS = 2_000;

type NoticeJob = Readonly<{ ownerNotices: Pick<OwnerNotices, 'look'>; clock: Clock; logger: Logger }>;

/** Runs at once and then regularly. Stopping it waits for the look that is under way. */
export function startNotices({ ownerNotices, clock, logger }: NoticeJob): () => Promise<void> {
  const failure = 'causes for notices could not be looked for';
  const options = { intervalMs: NOTICE_INTERVAL_MS, failure, clock, logger };
  const { now, stop } = startRounds(() => ownerNotices.look(), options);
  void now();
  return stop;
}
