// Sign-ins between the password and the second factor, and passkeys that are being added. The browser has a token; it
// gives no access by itself, lasts ten minutes and works once.

import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import * as store from '../store/second-factors.ts';
import { hashToken, newSessionToken } from '../token.ts';

export const STEP_MS = 600_000;
const STEPS_PER_USER_MAX = 10;

type More = Readonly<{ challenge?: string; signOn?: store.StepSignOn | null; passwordHash?: string | null }>;

export type Steps = Readonly<{
  /** Null when the person has another password by now than the one that was shown. */
  begin(userId: string, purpose: store.StepPurpose, more?: More): Promise<string | null>;
  /** The person whose sign-in it is; null for a step that has ended. */
  find(token: string): Promise<string | null>;
  challenge(token: string, challenge: string): Promise<void>;
  /** A challenge is given out once. */
  takeChallenge(
    token: string,
    purpose: store.StepPurpose,
  ): Promise<Readonly<{ userId: string; challenge: string }> | null>;
  /** Null when the step had ended before. */
  end(token: string): Promise<store.EndedStep | null>;
  forgetExpired(): Promise<void>;
}>;

type StepsOptions = Readonly<{ database: Database; clock: Clock; pepper: Buffer }>;

export function createSteps({ database, clock, pepper }: StepsOptions): Steps {
  const hashOf = (token: string): Buffer => hashToken(pepper, 'step', token);
  return {
    async begin(userId, purpose, { challenge = null, signOn = null, passwordHash = null } = {}) {
      const token = newSessionToken();
      const expiresAtMs = clock.nowMs() + STEP_MS;
      const row = { hash: hashOf(token), userId, purpose, challenge, expiresAtMs, signOn, passwordHash };
      return (await store.insertStep(database, row, STEPS_PER_USER_MAX)) ? token : null;
    },
    async find(token) {
      const sought = { hash: hashOf(token), purpose: 'sign_in', nowMs: clock.nowMs() } as const;
      return (await store.findStep(database, sought))?.userId ?? null;
    },
    challenge: (token, challenge) => store.challengeStep(database, hashOf(token), challenge),
    async takeChallenge(token, purpose) {
      const row = await store.takeChallenge(database, { hash: hashOf(token), purpose, nowMs: clock.nowMs() });
      return row === null ? null : { userId: row.userId, challenge: row.challenge ?? '' };
    },
    end: (token) => store.dropStep(database, hashOf(token)),
    forgetExpired: () => store.forgetExpiredSteps(database, clock.nowMs()),
  };
}
