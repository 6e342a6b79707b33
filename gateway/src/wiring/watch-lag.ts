// How late background work is, for the page of metrics. The sums for reports have no job of their own: they are written
// with each charge, so they are as late as the settlements.

import type { Services } from '../endpoints/services.ts';
import { LAG_INTERVAL_MS, startLagMeasuring } from '../jobs/measure-lag.ts';
import { jobCallbackRows } from '../modules/batches/store/jobs.ts';
import { oldestDueItem } from '../modules/feeds/store/items.ts';
import { oldestUnswept } from '../modules/ledger/store/processes.ts';
import { oldestMail } from '../modules/mail/store.ts';
import { oldestDueDelivery } from '../modules/notices/store/notices.ts';
import { oldestPaying } from '../modules/payments/store/orders.ts';
import { videoCallbackRows } from '../modules/videos/store/callbacks.ts';
import { oldestDueVideo } from '../modules/videos/store/claims.ts';

const QUEUES = ['mail', 'videos', 'callbacks', 'job-callbacks', 'notices', 'feeds', 'payments', 'slices'] as const;

type Watched = Pick<Services, 'database' | 'clock' | 'logger' | 'metrics'> &
  Readonly<{ ledger: Pick<Services['ledger'], 'status'> }>;

/** Answers a function that stops it. */
export function watchLag({ database, clock, logger, metrics, ledger }: Watched): () => Promise<void> {
  let mailWaitsSince: Date | null = null;
  const lag = startLagMeasuring({
    queues: {
      async mail() {
        const { dueSince, waitsSince } = await oldestMail(database, clock.nowMs());
        mailWaitsSince = waitsSince;
        return dueSince;
      },
      videos: () => oldestDueVideo(database, clock.nowMs()),
      callbacks: () => videoCallbackRows.oldestDue(database, clock.nowMs()),
      'job-callbacks': () => jobCallbackRows.oldestDue(database, clock.nowMs()),
      notices: () => oldestDueDelivery(database, clock.nowMs()),
      feeds: () => oldestDueItem(database, clock.nowMs()),
      payments: () => oldestPaying(database),
      slices: () => oldestUnswept(database),
    },
    clock,
    logger,
    countRound: metrics.jobs.job('lag', LAG_INTERVAL_MS, clock),
  });
  for (const queue of QUEUES) metrics.jobs.due(queue, () => lag.ageMs(queue));
  metrics.jobs.due('settlements', () => ledger.status().settlementLagMs);
  metrics.watch({
    name: 'tollgate_mail_oldest_waiting_seconds',
    help: 'How long ago the oldest mail was written that has not been sent, however often it was tried.',
    kind: 'gauge',
    read: () => (mailWaitsSince === null ? 0 : Math.max(0, clock.nowMs() - mailWaitsSince.getTime()) / 1000),
  });
  return lag.stop;
}
