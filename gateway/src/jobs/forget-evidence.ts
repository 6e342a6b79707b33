// Removes evidence of refused prompts when its time is over. Nothing else removes evidence.

import type { Evidence } from '../modules/guardrails/moderation/evidence.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const EVIDENCE_INTERVAL_MS = 3_600_000;

type EvidenceUpkeep = Readonly<{
  evidence: Pick<Evidence, 'forgetOlderThan'>;
  evidenceDays(): number;
  clock: Clock;
  logger: Logger;
}>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startForgettingEvidence({
  evidence,
  evidenceDays,
  clock,
  logger,
}: EvidenceUpkeep): () => Promise<void> {
  let running = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await evidence.forgetOlderThan(evidenceDays());
    } catch (error) {
      // A database that is away is reported elsewhere.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'old evidence could not be removed');
    }
  };
  const stop = clock.every(EVIDENCE_INTERVAL_MS, () => {
    running = running.then(run);
  });
  return async () => {
    stop();
    await running;
  };
}
