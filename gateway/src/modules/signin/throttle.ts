// Slows down guessing. The first attempts are free; after them the wait doubles, up to a limit. Attempts of strangers
// at an address count apart from those of a device that has signed in with it before, so strangers slow down each other
// and never the owner. A right password clears the earlier guesses.

import { createHmac } from 'node:crypto';
import { HOUR_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import * as store from './store/attempts.ts';

type Rule = Readonly<{ free: number; firstWaitMs: number; lastWaitMs: number; memoryMs?: number }>;

/** Many people may share a source, and a form is sent more often than a password is mistyped. */
const rules = {
  'login-address': { free: 5, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  'login-source': { free: 30, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  'login-device': { free: 10, firstWaitMs: 5_000, lastWaitMs: 60_000 },
  // How often a mailbox without an account gets mail because somebody asks for it: twice, and then about once a day.
  // The request is not refused: the link of the last mail still works.
  'sign-up-mail': { free: 2, firstWaitMs: 6 * HOUR_MS, lastWaitMs: 20 * HOUR_MS, memoryMs: 48 * HOUR_MS },
  // A mailbox with an account: once, whether a new password was asked for or somebody signed up with it. Both mails
  // have a link to set a password, which is valid for longer than the wait.
  'owner-mail': { free: 0, firstWaitMs: 6 * HOUR_MS, lastWaitMs: 20 * HOUR_MS, memoryMs: 48 * HOUR_MS },
  'reset-device': { free: 5, firstWaitMs: 60_000, lastWaitMs: HOUR_MS },
  'mail-source': { free: 60, firstWaitMs: 10_000, lastWaitMs: HOUR_MS },
  // Links and codes that are not valid, and sign-ins through another site that never come back.
  'token-source': { free: 200, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  // Welcome credits for one network, each day.
  'welcome-source': { free: 10, firstWaitMs: 24 * HOUR_MS, lastWaitMs: 24 * HOUR_MS, memoryMs: 24 * HOUR_MS },
  // Codes for credit, which a person types rarely.
  'redeem-user': { free: 10, firstWaitMs: 60_000, lastWaitMs: HOUR_MS },
  'password-user': { free: 5, firstWaitMs: 5_000, lastWaitMs: 900_000 },
  // Only a person who has shown the password can guess these.
  'factor-user': { free: 5, firstWaitMs: 10_000, lastWaitMs: 900_000 },
  'member-person': { free: 30, firstWaitMs: 5_000, lastWaitMs: 900_000 },
} as const satisfies Record<string, Rule>;

type ThrottleKind = keyof typeof rules;

/** Who is counted: an address, a source, a user. */
export type Guess = Readonly<{ kind: ThrottleKind; subject: string }>;

/** A success here says nothing about the other attempts that were counted. */
const FORGIVEN_ONE_BY_ONE: ReadonlySet<ThrottleKind> = new Set(['login-source', 'member-person', 'token-source']);

/** Longer than any wait, so that waiting once does not shorten the next wait. */
const MEMORY_MS = 2 * HOUR_MS;
const LONGEST_MEMORY_MS = 48 * HOUR_MS;

export type Throttle = Readonly<{
  /** Counts one attempt for each; 0 when all may go on, else how many seconds to wait. */
  take(guesses: readonly Guess[]): Promise<number>;
  /** The attempt was not a guess. For a person all earlier attempts are cleared, for a source only this one. */
  forgive(guesses: readonly Guess[]): Promise<void>;
  forgetOld(): Promise<void>;
}>;

type ThrottleOptions = Readonly<{ database: Database; clock: Clock; pepper: Buffer }>;

export function createThrottle({ database, clock, pepper }: ThrottleOptions): Throttle {
  const subjectOf = ({ kind, subject }: Guess): string =>
    `${kind}:${createHmac('sha256', pepper).update(subject).digest('base64url')}`;

  const takeOne = async (guess: Guess): Promise<number> => {
    const nowMs = clock.nowMs();
    const subject = subjectOf(guess);
    const rule: Rule = rules[guess.kind];
    const attempt = { ...rule, subject, nowMs, sinceMs: nowMs - (rule.memoryMs ?? MEMORY_MS) };
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
        if (FORGIVEN_ONE_BY_ONE.has(guess.kind)) await store.forgiveOne(database, subjectOf(guess));
        else await store.forgiveAll(database, subjectOf(guess));
      }
    },
    forgetOld: () => store.forgetAttemptsBefore(database, clock.nowMs() - LONGEST_MEMORY_MS),
  };
}
