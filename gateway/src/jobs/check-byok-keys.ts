// Checks customers' own upstreams now and then, so that their health is known before a call meets it. Processes share
// the work: each takes keys that no other process checks.

import type { Byok } from '../modules/byok/byok.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const BYOK_INTERVAL_MS = 30_000;
/** A bound on one run; the rest waits for the next. */
const BATCHES_MAX = 20;

type ByokCheckOptions = Readonly<{ byok: Pick<Byok, 'checkDue'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startByokChecks(options: ByokCheckOptions): () => Promise<void> {
  let running: Promise<void> | null = null;
  let isStopped = false;
  const stop = options.clock.every(BYOK_INTERVAL_MS, () => {
    running ??= run(options, () => isStopped).finally(() => {
      running = null;
    });
  });
  return async () => {
    stop();
    isStopped = true;
    await running;
  };
}

async function run({ byok, logger }: ByokCheckOptions, isStopped: () => boolean): Promise<void> {
  try {
    for (let batch = 0; batch < BATCHES_MAX && !isStopped(); batch += 1) {
      if ((await byok.checkDue()) === 0) return;
    }
  } catch (error) {
    // A database that is away is reported elsewhere, and the next run is soon.
    const level = isConnectionFailure(error) ? 'debug' : 'error';
    logger[level]({ error: asError(error) }, "customers' upstreams could not be checked");
  }
}
