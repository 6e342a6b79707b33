// Sends queued mails: at once when one is queued here, and regularly for those that other processes queued or that
// could not be sent before.

import type { MailQueue } from '../modules/mail/mail-queue.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';

export const MAIL_INTERVAL_MS = 1_000;
/** A mail is queued in a transaction that is about to commit; a look before that would not find it. */
const COMMIT_MS = 25;
const STOP_MS = 3_000;
const TIDY_INTERVAL_MS = 3_600_000;
const FAILURE = 'mails could not be sent';

type MailJob = Readonly<{
  mailQueue: Pick<MailQueue, 'sendDue' | 'forgetOld' | 'onQueued'>;
  clock: Clock;
  logger: Logger;
}>;

/**
 * Runs at once and then regularly. Stopping it waits a little for the mails under way; one that is cut off is sent
 * later.
 */
export function startMailJob({ mailQueue, clock, logger }: MailJob): () => Promise<void> {
  let isStopped = false;
  let isWanted = false;
  let running: Promise<void> | null = null;

  const sendAll = async (): Promise<void> => {
    try {
      while (isWanted && !isStopped) {
        isWanted = false;
        while (!isStopped && (await mailQueue.sendDue()) > 0);
      }
    } catch (error) {
      reportFailure(logger, error, FAILURE);
    }
  };
  const wake = (): void => {
    if (isStopped) return;
    isWanted = true;
    running ??= sendAll().finally(() => {
      running = null;
      // A mail was queued between the last look and now.
      if (isWanted) wake();
    });
  };
  const tidy = (): void => {
    mailQueue.forgetOld().catch((error: unknown) => reportFailure(logger, error, FAILURE));
  };

  mailQueue.onQueued(() => void clock.sleep(COMMIT_MS).then(wake));
  wake();
  const stops = [clock.every(MAIL_INTERVAL_MS, wake), clock.every(TIDY_INTERVAL_MS, tidy)];
  return async () => {
    isStopped = true;
    for (const stop of stops) stop();
    if (running !== null) await Promise.race([running, clock.sleep(STOP_MS)]);
  };
}
