// Advances video jobs whether or not their owners ask, so that money, refunds and callbacks never wait for a poll.
// Processes share the work: each claims jobs that no other process works on, and few of one account, whose own upstream
// may hang. A person may have many accounts, so own upstreams have half of the places.

import type { VideoJob } from '../canonical/video-job.ts';
import { type AdvanceVideoServices, advanceVideo } from '../pipeline/videos/advance-video.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import { Shares } from '../platform/shares.ts';

export const VIDEO_INTERVAL_MS = 1_000;
const FAILURE = 'a video job could not be moved on';
const AT_ONCE_MAX = 32;
const PER_ACCOUNT_MAX = 8;
const OF_OWN_UPSTREAMS_MAX = 16;
/** What is claimed together may all be of one account. */
const CLAIMED_AT_ONCE = 4;
/** A job that is cut off then is taken up again when its lease has run out. */
const STOP_MS = 3_000;

/** Runs at once and then regularly. Stopping it waits a little for jobs under way. */
export function startVideoAdvance(services: AdvanceVideoServices): () => Promise<void> {
  const { clock, logger, videos } = services;
  const underWay = new Set<Promise<void>>();
  const shares = new Shares(PER_ACCOUNT_MAX);
  let isLooking = false;
  let isStopped = false;
  let ofOwnUpstreams = 0;

  const begin = (job: VideoJob): void => {
    const own = job.byokKeyId === null ? 0 : 1;
    ofOwnUpstreams += own;
    shares.begin(job.accountId);
    const advancing = advance(job, services).finally(() => {
      ofOwnUpstreams -= own;
      shares.end(job.accountId);
      underWay.delete(advancing);
    });
    underWay.add(advancing);
  };
  const look = async (): Promise<void> => {
    if (isLooking || isStopped) return;
    isLooking = true;
    try {
      while (!isStopped && underWay.size < AT_ONCE_MAX) {
        const limit = Math.min(CLAIMED_AT_ONCE, AT_ONCE_MAX - underWay.size);
        const ownUpstreams = ofOwnUpstreams + limit > OF_OWN_UPSTREAMS_MAX;
        const due = await videos.claimDue(limit, { accountIds: shares.without(limit), ownUpstreams });
        if (due.length === 0) break;
        for (const job of due) begin(job);
      }
    } catch (error) {
      reportFailure(logger, error, FAILURE);
    } finally {
      isLooking = false;
    }
  };
  void look();
  const stop = clock.every(VIDEO_INTERVAL_MS, () => void look());
  return async () => {
    isStopped = true;
    stop();
    await Promise.race([Promise.all(underWay), clock.sleep(STOP_MS)]);
  };
}

/** When it fails, its lease runs out and another process tries again. */
async function advance(job: VideoJob, services: AdvanceVideoServices): Promise<void> {
  try {
    await advanceVideo(job, services);
  } catch (error) {
    reportFailure(services.logger, error, FAILURE, { jobId: job.id });
  }
}
