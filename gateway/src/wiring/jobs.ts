// Background work. Every job runs on any number of processes at once and minds that itself; stopping waits for what is
// under way.

import type { Services } from '../endpoints/services.ts';
import { startVideoAdvance } from '../jobs/advance-videos.ts';
import { startByokChecks } from '../jobs/check-byok-keys.ts';
import { startPaymentCompletion } from '../jobs/complete-payments.ts';
import { startForgettingEvidence } from '../jobs/forget-evidence.ts';
import { startCallbacks } from '../jobs/send-callbacks.ts';
import { startMailJob } from '../jobs/send-mail.ts';
import { startMediaSweeping } from '../jobs/sweep-media.ts';
import { startEduTidying } from '../jobs/tidy-edu.ts';
import { startSignInTidying } from '../jobs/tidy-sign-in.ts';
import type { MailQueue } from '../modules/mail/mail-queue.ts';

/** Answers how to stop them all. */
export function startJobs(services: Services, mailQueue: MailQueue): () => Promise<void> {
  const { clock, logger } = services;
  const stops = [
    startPaymentCompletion(services),
    startMailJob({ mailQueue, clock, logger }),
    startSignInTidying(services),
    startEduTidying(services),
    startByokChecks(services),
    startForgettingEvidence(services),
    startVideoAdvance(services),
    startCallbacks(services),
    startMediaSweeping(services),
  ];
  return async () => {
    for (const stop of stops) await stop();
  };
}
