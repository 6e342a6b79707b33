// Removes evidence of refused prompts when its time is over. Nothing else removes evidence.

import type { Evidence } from '../modules/guardrails/moderation/evidence.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const EVIDENCE_INTERVAL_MS = 3_600_000;

type EvidenceUpkeep = Readonly<{
  evidence: Pick<Evidence, 'forgetOlderThan'>;
  evidenceDays(): number;
  clock: Clock;
  logger: Logger;
}>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startForgettingEvidence(options: EvidenceUpkeep): () => Promise<void> {
  const { evidence, evidenceDays, clock, logger } = options;
  const failure = 'old evidence could not be removed';
  const forget = () => evidence.forgetOlderThan(evidenceDays());
  return startRounds(forget, { intervalMs: EVIDENCE_INTERVAL_MS, failure, clock, logger }).stop;
}
