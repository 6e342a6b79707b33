// Advances video jobs whether or not their owners ask, so that money, refunds and callbacks never wait for a poll.
// Processes share the work: each claims jobs that no other process works on, and few of one account, whose own upstream
// may hang.

import type { VideoJob } from '../canonical/video-job.ts';
import { type AdvanceVideoServices, advanceVideo } from '../pipeline/videos/advance-video.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError } from '../platform/logger.ts';

export const VIDEO_INTERVAL_MS = 1_000;
const AT_ONCE_MAX = 32;
const PER_ACCOUNT_MAX = 8;
/** What is claimed together may all be of one account. */
const CLAIMED_AT_ONCE = 4;
/** A job that is cut off then is taken up again when its lease has run out. */
const STOP_MS = 3_000;

/** Runs at once and then regularly. Stopping it waits a little for jobs under way. */
export function startVideoAdvance(services: AdvanceVideoServices): () => Promise<void> {
  const { clock, videos } = services;
  const underWay = new Map<Promise<void>, string>();
  let isLooking = false;
  let isStopped = false;

  const begin = (job: VideoJob): void => {
    const advancing = advance(job, services).finally(() => underWay.delete(advancing));
    underWay.set(advancing, job.accountId);
  };
  const look = async (): Promise<void> => {
    if (isLooking || isStopped) return;
    isLooking = true;
    try {
      while (!isStopped && underWay.size < AT_ONCE_MAX) {
        const limit = Math.min(CLAIMED_AT_ONCE, AT_ONCE_MAX - underWay.size);
        const due = await videos.claimDue(limit, accountsWithout(limit, underWay.values()));
        if (due.length === 0) break;
        for (const job of due) begin(job);
      }
    } catch (error) {
      report(error, services);
    } finally {
      isLooking = false;
    }
  };
  void look();
  const stop = clock.every(VIDEO_INTERVAL_MS, () => void look());
  return async () => {
    isStopped = true;
    stop();
    await Promise.race([Promise.all(underWay.keys()), clock.sleep(STOP_MS)]);
  };
}

/** The accounts that have no room for so many more. */
function accountsWithout(room: number, accountIds: Iterable<string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const accountId of accountIds) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count + room > PER_ACCOUNT_MAX).map(([accountId]) => accountId);
}

/** When it fails, its lease runs out and another process tries again. */
async function advance(job: VideoJob, services: AdvanceVideoServices): Promise<void> {
  try {
    await advanceVideo(job, services);
  } catch (error) {
    report(error, services, job.id);
  }
}

/** A database that is away is reported elsewhere, and the next round is soon. */
function report(error: unknown, { logger }: AdvanceVideoServices, jobId?: string): void {
  const level = isConnectionFailure(error) ? 'debug' : 'error';
  logger[level]({ jobId, error: asError(error) }, 'a video job could not be moved on');
}
