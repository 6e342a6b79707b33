// Asks issuers whether they still know the people whose sessions they authenticated.

import type { SignOn } from '../modules/signin/sign-on/sign-on.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const SIGN_ON_INTERVAL_MS = 60_000;

type SignOnChecks = Readonly<{ signOn: Pick<SignOn, 'checkDue'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the round under way. */
export function startSignOnChecks({ signOn, clock, logger }: SignOnChecks): () => Promise<void> {
  const failure = 'sessions could not be checked';
  return startRounds(() => signOn.checkDue(), { intervalMs: SIGN_ON_INTERVAL_MS, failure, clock, logger }).stop;
}
