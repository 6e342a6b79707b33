// The end of a job's money, once what came of it is decided: charged or given back, then shown. Repeating it changes
// nothing, so whoever finds a job between the two finishes it.

import { zeroUsage } from '../../canonical/usage.ts';
import type { VideoError, VideoJob } from '../../canonical/video-job.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { NO_MONEY, recordOf } from './new-job.ts';
import { finalCost } from './price-video.ts';

export type EndServices = Readonly<{
  videos: Videos;
  ledger: Pick<Ledger, 'settleDurable' | 'releaseDurable'>;
  clock: Clock;
  metrics: Pick<Metrics, 'settlement'>;
}>;

/** Nobody has looked after the job for a day: its money has gone back, so there is nothing to show for it either. */
const TOO_LATE: VideoError = {
  code: 'expired',
  message: 'The video was finished too late to be billed. Nothing was charged.',
};

export async function endVideo(job: VideoJob, services: EndServices): Promise<void> {
  assert(job.phase === 'ending', 'a job is decided before its money is moved');
  if (job.outcome === 'completed') await charge(job, services);
  else await giveBack(job, services);
}

async function charge(job: VideoJob, { videos, ledger, clock, metrics }: EndServices): Promise<void> {
  const { price, costNanoUsd, implausibleNanoUsd, markupNanoUsd, videoMs } = finalCost(job);
  const money = {
    subtotalNanoUsd: costNanoUsd,
    costNanoUsd,
    absorbedNanoUsd: implausibleNanoUsd,
    markupNanoUsd,
    absorbedReason: implausibleNanoUsd === 0n ? null : 'implausible',
    usage: { ...zeroUsage, units: { videoMs } },
  };
  const record = recordOf(job, money, clock.nowMs());
  // A price that charged nothing is not worth keeping.
  const settlement = await ledger.settleDurable(job.generationId, record, {
    priceList: costNanoUsd === 0n ? undefined : price.list,
    mayExceedReservation: true,
  });
  if (settlement === null) await videos.end(job, { costNanoUsd: 0n, expired: TOO_LATE });
  else await videos.end(job, { costNanoUsd: settlement.chargedNanoUsd });
  metrics.settlement(settlement === null ? 'released' : 'settled');
}

async function giveBack(job: VideoJob, { videos, ledger, clock, metrics }: EndServices): Promise<void> {
  const reason = job.error?.code ?? 'failed';
  await ledger.releaseDurable(job.generationId, reason, recordOf(job, NO_MONEY, clock.nowMs()));
  await videos.end(job, { costNanoUsd: 0n });
  metrics.settlement('released');
}
