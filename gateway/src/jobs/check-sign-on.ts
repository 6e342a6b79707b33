// Asks issuers whether they still know the people whose sessions they authenticated.

import type { SignOn } from '../modules/signin/sign-on/sign-on.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const SIGN_ON_INTERVAL_MS = 60_000;

type SignOnChecks = Readonly<{ signOn: Pick<SignOn, 'checkDue'>; clock: Clock; logger: Logger }>;

/** Runs regularly, one round after the other. Stopping it waits for the round under way. */
export function startSignOnChecks({ signOn, clock, logger }: SignOnChecks): () => Promise<void> {
  let running: Promise<void> | null = null;
  const stop = clock.every(SIGN_ON_INTERVAL_MS, () => {
    running ??= signOn
      .checkDue()
      .catch((error: unknown) => {
        // A database that is away is reported elsewhere.
        const level = isConnectionFailure(error) ? 'debug' : 'error';
        logger[level]({ error: asError(error) }, 'sessions could not be checked');
      })
      .finally(() => {
        running = null;
      });
  });
  return async () => {
    stop();
    await running;
  };
}
