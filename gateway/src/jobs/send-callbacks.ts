// Sends calls to strangers' addresses from a queue: to owners of jobs, and to addresses of notices. A slow receiver
// delays only its own calls.

import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';
import type { PacedCalls } from '../platform/outbound/paced-calls.ts';

export const CALLBACK_INTERVAL_MS = 1_000;
/** A call that is cut off is made again when its claim has run out. */
const STOP_MS = 3_000;

type CallbackJob = Readonly<{ calls: PacedCalls; clock: Clock; logger: Logger }>;

/** Runs at once and then regularly. Stopping it waits a little for the calls under way. */
export function startCallbacks({ calls, clock, logger }: CallbackJob): () => Promise<void> {
  let isLooking = false;
  let isStopped = false;
  const look = async (): Promise<void> => {
    if (isLooking || isStopped) return;
    isLooking = true;
    try {
      while (!isStopped && (await calls.sendDue()) > 0);
    } catch (error) {
      reportFailure(logger, error, 'callbacks could not be looked for');
    } finally {
      isLooking = false;
    }
  };
  void look();
  const stop = clock.every(CALLBACK_INTERVAL_MS, () => void look());
  return async () => {
    isStopped = true;
    stop();
    await Promise.race([calls.idle(), clock.sleep(STOP_MS)]);
  };
}
