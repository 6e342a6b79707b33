// Removes expired sessions, links and attempts of signing in. Nothing depends on it, because readers check the time.

import type { Steps } from '../modules/signin/factors/steps.ts';
import type { Sessions } from '../modules/signin/sessions.ts';
import type { SignIn } from '../modules/signin/signin.ts';
import type { Throttle } from '../modules/signin/throttle.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const SIGN_IN_INTERVAL_MS = 3_600_000;
const FAILURE = 'old sign-in data could not be removed';

type SignInTidying = Readonly<{
  openSessions: Pick<Sessions, 'forgetExpired'>;
  signIn: Pick<SignIn, 'forgetExpired'>;
  throttle: Pick<Throttle, 'forgetOld'>;
  secondFactors: Readonly<{ steps: Pick<Steps, 'forgetExpired'> }>;
  clock: Clock;
  logger: Logger;
}>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startSignInTidying(options: SignInTidying): () => Promise<void> {
  const { clock, logger } = options;
  return startRounds(() => tidy(options), { intervalMs: SIGN_IN_INTERVAL_MS, failure: FAILURE, clock, logger }).stop;
}

async function tidy({ openSessions, signIn, throttle, secondFactors, logger }: SignInTidying): Promise<void> {
  const works = [
    openSessions.forgetExpired,
    signIn.forgetExpired,
    throttle.forgetOld,
    secondFactors.steps.forgetExpired,
  ];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      reportFailure(logger, error, FAILURE);
    }
  }
}
