// Removes expired sessions, links and attempts of signing in. Nothing depends on it, because readers check the time.

import type { Steps } from '../modules/signin/factors/steps.ts';
import type { Sessions } from '../modules/signin/sessions.ts';
import type { SignIn } from '../modules/signin/signin.ts';
import type { Throttle } from '../modules/signin/throttle.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const SIGN_IN_INTERVAL_MS = 3_600_000;

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
  let running = Promise.resolve();
  const stop = options.clock.every(SIGN_IN_INTERVAL_MS, () => {
    running = running.then(() => run(options));
  });
  return async () => {
    stop();
    await running;
  };
}

async function run({ openSessions, signIn, throttle, secondFactors, logger }: SignInTidying): Promise<void> {
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
      // A database that is away is reported elsewhere.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'old sign-in data could not be removed');
    }
  }
}
