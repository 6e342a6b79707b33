// Slows down whoever guesses. The first attempts are free; after them the wait doubles, up to a limit that keeps the
// owner of an attacked account able to get in. A right password forgives what was guessed at it before.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import * as store from './store/attempts.ts';

type Rule = Readonly<{ free: number; firstWaitMs: number; lastWaitMs: number }>;

/** Many people may share a source, and a form is sent more often than a password is mistyped. */
const rules = {
  'login-address': { free: 5, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  'login-source': { free: 30, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  'mail-address': { free: 5, firstWaitMs: 60_000, lastWaitMs: 3_600_000 },
  'mail-source': { free: 60, firstWaitMs: 10_000, lastWaitMs: 3_600_000 },
  'token-source': { free: 60, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  'password-user': { free: 5, firstWaitMs: 5_000, lastWaitMs: 900_000 },
} as const satisfies Record<string, Rule>;

export type ThrottleKind = keyof typeof rules;

/** Who is counted: an address, a source, a user. */
export type Guess = Readonly<{ kind: ThrottleKind; subject: string }>;

/** Longer than any wait, so that waiting one out does not make the next one short. */
const MEMORY_MS = 2 * 3_600_000;

export type Throttle = Readonly<{
  /** Counts one attempt for each; 0 when all may go on, else how many seconds to wait. */
  take(guesses: readonly Guess[]): Promise<number>;
  /** The attempt was no guess. What was guessed at a person before is forgotten, at a source only this one. */
  forgive(guesses: readonly Guess[]): Promise<void>;
  forgetOld(): Promise<void>;
}>;

export type ThrottleOptions = Readonly<{ database: Database; clock: Clock; pepper: Buffer }>;

export function createThrottle({ database, clock, pepper }: ThrottleOptions): Throttle {
  const subjectOf = ({ kind, subject }: Guess): string =>
    `${kind}:${createHmac('sha256', pepper).update(subject).digest('base64url')}`;

  const takeOne = async (guess: Guess): Promise<number> => {
    const nowMs = clock.nowMs();
    const subject = subjectOf(guess);
    const attempt = { subject, nowMs, sinceMs: nowMs - MEMORY_MS, ...rules[guess.kind] };
    if (await store.takeAttempt(database, attempt)) return 0;
    const untilMs = await store.blockedUntilMs(database, subject);
    return Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  };

  return {
    async take(guesses) {
      for (const guess of guesses) {
        const waitSeconds = await takeOne(guess);
        if (waitSeconds > 0) return waitSeconds;
      }
      return 0;
    },
    async forgive(guesses) {
      for (const guess of guesses) {
        if (guess.kind === 'login-source') await store.forgiveOne(database, subjectOf(guess));
        else await store.forgiveAll(database, subjectOf(guess));
      }
    },
    forgetOld: () => store.forgetAttemptsBefore(database, clock.nowMs() - MEMORY_MS),
  };
}
