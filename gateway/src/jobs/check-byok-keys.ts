// Checks customers' own upstreams now and then, so that their health is known before a call meets it. Processes share
// the work: each takes keys that no other process checks.

import type { Byok } from '../modules/byok/byok.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const BYOK_INTERVAL_MS = 30_000;
/** A bound on one run; the rest waits for the next. */
const BATCHES_MAX = 20;

type ByokCheckOptions = Readonly<{ byok: Pick<Byok, 'checkDue'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startByokChecks({ byok, clock, logger }: ByokCheckOptions): () => Promise<void> {
  let isStopped = false;
  const check = async (): Promise<void> => {
    for (let batch = 0; batch < BATCHES_MAX && !isStopped; batch += 1) {
      if ((await byok.checkDue()) === 0) return;
    }
  };
  const failure = "customers' upstreams could not be checked";
  const { stop } = startRounds(check, { intervalMs: BYOK_INTERVAL_MS, failure, clock, logger });
  return () => {
    isStopped = true;
    return stop();
  };
}
