// Background jobs. Every job may run on any number of processes at once and handles that itself; stopping waits for
// what is under way. Rounds are counted here, around what each job calls, so that no job knows of metrics.

import { batchRoutesOf } from '../endpoints/batches/batches.ts';
import type { Services } from '../endpoints/services.ts';
import { startVideoAdvance, VIDEO_INTERVAL_MS } from '../jobs/advance-videos.ts';
import { BYOK_INTERVAL_MS, startByokChecks } from '../jobs/check-byok-keys.ts';
import { SIGN_ON_INTERVAL_MS, startSignOnChecks } from '../jobs/check-sign-on.ts';
import { CLOSING_INTERVAL_MS, startClosingMonths } from '../jobs/close-months.ts';
import { PAYMENT_INTERVAL_MS, startPaymentCompletion } from '../jobs/complete-payments.ts';
import { PRICES_INTERVAL_MS, startFollowingPrices } from '../jobs/follow-prices.ts';
import { EVIDENCE_INTERVAL_MS, startForgettingEvidence } from '../jobs/forget-evidence.ts';
import { HISTORY_INTERVAL_MS, startKeepingHistory } from '../jobs/keep-history.ts';
import { REPEATS_SWEEP_MS, startKeepingRepeats } from '../jobs/keep-repeats.ts';
import { SAVINGS_INTERVAL_MS, startKeepingSavings } from '../jobs/keep-savings.ts';
import { NOTICE_INTERVAL_MS, startNotices } from '../jobs/raise-notices.ts';
import { startBatches } from '../jobs/run-batches.ts';
import { SECRETS_INTERVAL_MS, startSealingAnew } from '../jobs/seal-anew.ts';
import { CALLBACK_INTERVAL_MS, startCallbacks } from '../jobs/send-callbacks.ts';
import { MAIL_INTERVAL_MS, startMailJob } from '../jobs/send-mail.ts';
import { MEDIA_INTERVAL_MS, startMediaSweeping } from '../jobs/sweep-media.ts';
import { EDU_INTERVAL_MS, startEduTidying } from '../jobs/tidy-edu.ts';
import { SIGN_IN_INTERVAL_MS, startSignInTidying } from '../jobs/tidy-sign-in.ts';
import type { MailQueue } from '../modules/mail/mail-queue.ts';
import type { PacedCalls } from '../platform/outbound/paced-calls.ts';
import type { Listening } from './listeners.ts';
import { watchLag } from './watch-lag.ts';

type Stop = () => Promise<void>;

type Served = Pick<Listening, 'routes' | 'isOverloaded'>;

/** Answers a function that stops them all. */
export function startJobs(services: Services, mailQueue: MailQueue, { routes, isOverloaded }: Served): Stop {
  const batches = startBatches({ ...services, batchRoutes: batchRoutesOf(routes), isOverloaded });
  const saved = services.metrics.jobs.job('savings', SAVINGS_INTERVAL_MS, services.clock);
  const savings = startKeepingSavings({ ...services, savings: { write: () => saved(services.savings.write()) } });
  const stops = [batches, savings, ...startQueues(services, mailQueue), ...startUpkeep(services), watchLag(services)];
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

/** Jobs whose results nobody waits for. */
function startUpkeep(services: Services): readonly Stop[] {
  const { books, byok, clock, edu, evidence, media, metrics, openSessions, ownerNotices } = services;
  const { repeats, rootSecrets, routeHistory, signIn, signOn, throttle } = services;
  const count = (name: string, intervalMs: number) => metrics.jobs.job(name, intervalMs, clock);
  const expired = count('sessions', SIGN_IN_INTERVAL_MS);
  const signedIn = count('sign-in', SIGN_IN_INTERVAL_MS);
  const unthrottled = count('throttle', SIGN_IN_INTERVAL_MS);
  const asked = count('sign-on', SIGN_ON_INTERVAL_MS);
  const taught = count('institutions', EDU_INTERVAL_MS);
  const checked = count('own-upstreams', BYOK_INTERVAL_MS);
  const forgotten = count('evidence', EVIDENCE_INTERVAL_MS);
  const swept = count('media', MEDIA_INTERVAL_MS);
  const noticed = count('notice-causes', NOTICE_INTERVAL_MS);
  const kept = count('repeats', REPEATS_SWEEP_MS);
  const closed = count('closing', CLOSING_INTERVAL_MS);
  const written = count('route-history', HISTORY_INTERVAL_MS);
  const sealed = count('root-secret', SECRETS_INTERVAL_MS);
  return [
    startSignInTidying({
      ...services,
      openSessions: { forgetExpired: () => expired(openSessions.forgetExpired()) },
      signIn: { forgetExpired: () => signedIn(signIn.forgetExpired()) },
      throttle: { forgetOld: () => unthrottled(throttle.forgetOld()) },
    }),
    startSignOnChecks({ ...services, signOn: { checkDue: () => asked(signOn.checkDue()) } }),
    startEduTidying({ ...services, edu: { forgetOld: () => taught(edu.forgetOld()) } }),
    startByokChecks({ ...services, byok: { checkDue: () => checked(byok.checkDue()) } }),
    startForgettingEvidence({
      ...services,
      evidence: { forgetOlderThan: (days) => forgotten(evidence.forgetOlderThan(days)) },
    }),
    startKeepingRepeats({ ...services, repeats: { beat: () => repeats.beat(), sweep: () => kept(repeats.sweep()) } }),
    startClosingMonths({ ...services, books: { ...books, closeMonths: () => closed(books.closeMonths()) } }),
    startKeepingHistory({ ...services, routeHistory: { write: () => written(routeHistory.write()) } }),
    startNotices({ ...services, ownerNotices: { look: () => noticed(ownerNotices.look()) } }),
    startFollowingPrices({ ...services, countRound: count('prices', PRICES_INTERVAL_MS) }),
    startSealingAnew({
      ...services,
      rootSecrets: { advance: (processId) => sealed(rootSecrets.advance(processId)) },
    }),
    startMediaSweeping({ ...services, media: { sweep: () => swept(media.sweep()) } }),
  ];
}
