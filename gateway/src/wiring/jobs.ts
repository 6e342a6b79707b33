// Background jobs. Every job may run on any number of processes at once and handles that itself; stopping waits for
// what is under way. Rounds are counted here, around what each job calls, so that no job knows of metrics.

import { batchRoutesOf } from '../endpoints/batches/batches.ts';
import type { Services } from '../endpoints/services.ts';
import { startVideoAdvance, VIDEO_INTERVAL_MS } from '../jobs/advance-videos.ts';
import { BYOK_INTERVAL_MS, startByokChecks } from '../jobs/check-byok-keys.ts';
import { CLOSING_INTERVAL_MS, startClosingMonths } from '../jobs/close-months.ts';
import { PAYMENT_INTERVAL_MS, startPaymentCompletion } from '../jobs/complete-payments.ts';
import { PRICES_INTERVAL_MS, startFollowingPrices } from '../jobs/follow-prices.ts';
import { startBatches } from '../jobs/run-batches.ts';
import { CALLBACK_INTERVAL_MS, startCallbacks } from '../jobs/send-callbacks.ts';
import { MAIL_INTERVAL_MS, startMailJob } from '../jobs/send-mail.ts';
import { startUpkeep } from '../jobs/upkeep.ts';
import type { MailQueue } from '../modules/mail/mail-queue.ts';
import type { PacedCalls } from '../platform/outbound/paced-calls.ts';
import type { Listening } from './listeners.ts';
import { watchLag } from './watch-lag.ts';

type Stop = () => Promise<void>;

type Served = Pick<Listening, 'routes' | 'isOverloaded'>;

/** Answers a function that stops them all. */
export function startJobs(services: Services, mailQueue: MailQueue, { routes, isOverloaded }: Served): Stop {
  const batches = startBatches({ ...services, batchRoutes: batchRoutesOf(routes), isOverloaded });
  const regular = [...startQueues(services, mailQueue), ...startUpkeep(services), ...startSlowWork(services)];
  const stops = [batches, ...regular, watchLag(services)];
  // All together: several of them wait for strangers, and one after the other they could take longer than the machine
  // gives a process to end.
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Jobs whose results somebody waits for. */
function startQueues(services: Services, mailQueue: MailQueue): readonly Stop[] {
  const { clock, logger, metrics, payments, statements, videos, videoCallbacks, jobCallbacks } = services;
  const { noticeDeliveries, feedDeliveries } = services;
  const count = (name: string, intervalMs: number) => metrics.jobs.job(name, intervalMs, clock);
  const paid = count('payments', PAYMENT_INTERVAL_MS);
  const lookedUp = count('unheard-payments', PAYMENT_INTERVAL_MS);
  const toppedUp = count('automatic-top-ups', PAYMENT_INTERVAL_MS);
  const stated = count('statements', PAYMENT_INTERVAL_MS);
  const mailed = count('mail', MAIL_INTERVAL_MS);
  const advanced = count('videos', VIDEO_INTERVAL_MS);
  const startCalls = (name: string, calls: PacedCalls): Stop => {
    const called = count(name, CALLBACK_INTERVAL_MS);
    return startCallbacks({ calls: { ...calls, sendDue: () => called(calls.sendDue()) }, clock, logger });
  };
  return [
    startPaymentCompletion({
      payments: {
        completeUnfinished: () => paid(payments.completeUnfinished()),
        lookUpUnheard: () => lookedUp(payments.lookUpUnheard()),
        automatic: { run: () => toppedUp(payments.automatic.run()) },
      },
      statements: { catchUp: () => stated(statements.catchUp()) },
      clock,
      logger,
    }),
    startMailJob({ mailQueue: { ...mailQueue, sendDue: () => mailed(mailQueue.sendDue()) }, clock, logger }),
    startVideoAdvance({
      ...services,
      videos: { ...videos, claimDue: (limit, busy) => advanced(videos.claimDue(limit, busy)) },
    }),
    startCalls('callbacks', videoCallbacks),
    startCalls('job-callbacks', jobCallbacks),
    startCalls('notices', noticeDeliveries),
    startCalls('feeds', feedDeliveries),
  ];
}

/** Jobs whose rounds may be long, and end early when they are stopped. */
function startSlowWork(services: Services): readonly Stop[] {
  const { books, byok, clock, metrics } = services;
  const count = (name: string, intervalMs: number) => metrics.jobs.job(name, intervalMs, clock);
  const checked = count('own-upstreams', BYOK_INTERVAL_MS);
  const closed = count('closing', CLOSING_INTERVAL_MS);
  return [
    startByokChecks({ ...services, byok: { checkDue: () => checked(byok.checkDue()) } }),
    startClosingMonths({ ...services, books: { ...books, closeMonths: () => closed(books.closeMonths()) } }),
    startFollowingPrices({ ...services, countRound: count('prices', PRICES_INTERVAL_MS) }),
  ];
}
