// Advances video jobs whether or not their owners ask, so that money, refunds and callbacks never wait for a poll.
// Processes share the work: each claims jobs that no other process works on, and few of one account, whose own upstream
// may hang. A person may have many accounts, so own upstreams have half of the places, and those that were slow lately
// half of these. Accounts that have nothing under way come first, however many jobs others have that wait longer.

import type { VideoJob } from '../canonical/video-job.ts';
import type { BusyVideos } from '../modules/videos/videos.ts';
import { type AdvanceVideoServices, advanceVideo } from '../pipeline/videos/advance-video.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import { Shares } from '../platform/shares.ts';
import { SlowOwners } from '../platform/slow-owners.ts';

export const VIDEO_INTERVAL_MS = 1_000;
const FAILURE = 'a video job could not be moved on';
const AT_ONCE_MAX = 32;
const PER_ACCOUNT_MAX = 8;
const OF_OWN_UPSTREAMS_MAX = 16;
const OF_SLOW_UPSTREAMS_MAX = 8;
/** Several in one claim where there is room for them, else one: what is claimed together may all be of one account. */
const CLAIM_SIZES = [4, 1];
/** A job that is cut off then is taken up again when its lease has run out. */
const STOP_MS = 3_000;

/** Runs at once and then regularly. Stopping it waits a little for jobs under way. */
export function startVideoAdvance(services: AdvanceVideoServices): () => Promise<void> {
  const { clock, logger, videos } = services;
  const underWay = new Set<Promise<void>>();
  const places = new Places(clock);
  let isLooking = false;
  let isStopped = false;

  const begin = (job: VideoJob): void => {
    const end = places.take(job);
    const advancing = advance(job, services).finally(() => {
      end();
      underWay.delete(advancing);
    });
    underWay.add(advancing);
  };
  const claim = async (): Promise<readonly VideoJob[]> => {
    const isIdle = underWay.size === 0;
    for (const size of CLAIM_SIZES) {
      const limit = Math.min(size, AT_ONCE_MAX - underWay.size);
      for (const room of [PER_ACCOUNT_MAX, limit]) {
        const due = await videos.claimDue(limit, places.busy(room, limit));
        if (due.length > 0 || isIdle) return due;
      }
    }
    return [];
  };
  const look = async (): Promise<void> => {
    if (isLooking || isStopped) return;
    isLooking = true;
    try {
      while (!isStopped && underWay.size < AT_ONCE_MAX) {
        const due = await claim();
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

/** Who has how many jobs under way. */
class Places {
  readonly #clock: Clock;
  readonly #ofAccounts = new Shares(PER_ACCOUNT_MAX);
  readonly #ofOwnUpstreams = new Shares(PER_ACCOUNT_MAX);
  readonly #slow: SlowOwners;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slow = new SlowOwners(clock);
  }

  /** Answers what to do when the job's turn is over. */
  take({ accountId, byokKeyId }: VideoJob): () => void {
    const sinceMs = this.#clock.monotonicMs();
    const isOwn = byokKeyId !== null;
    this.#ofAccounts.begin(accountId);
    if (isOwn) this.#ofOwnUpstreams.begin(accountId);
    return () => {
      this.#ofAccounts.end(accountId);
      if (!isOwn) return;
      this.#ofOwnUpstreams.end(accountId);
      this.#slow.ended(accountId, sinceMs);
    };
  }

  /** Without the accounts that have no such room; as many are claimed as the limit says. */
  busy(room: number, limit: number): BusyVideos {
    const slowIds = this.#slow.ids();
    return {
      accountIds: this.#ofAccounts.without(room),
      ownUpstreams: this.#ofOwnUpstreams.ofAll() + limit > OF_OWN_UPSTREAMS_MAX,
      ownUpstreamsOf: this.#ofOwnUpstreams.ofAll(slowIds) + limit > OF_SLOW_UPSTREAMS_MAX ? slowIds : [],
    };
  }
}
