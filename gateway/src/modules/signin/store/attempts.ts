// Attempts at guessing, counted in the database, so that several processes and restarts share one count. An attempt is
// counted before it is judged, in one statement, so that a thousand attempts at once are all counted.

import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';

// The wait doubles with every attempt after the free ones; with none free, a wait follows the first. During a wait
// nothing is counted and no row is returned. A subject that need not wait is blocked until 1970 and not until now,
// because of two requests at once the clock of one may be behind.
const takeStatement = sql(
  'signin_take_attempt',
  `INSERT INTO sign_in_attempts AS kept (subject, attempts, last_at, blocked_until) VALUES ($1, 1, $2,
     CASE WHEN $4::integer > 0 THEN 'epoch' ELSE $2::timestamptz + interval '1 millisecond' * $5::float8 END)
   ON CONFLICT (subject) DO UPDATE SET
     attempts = CASE WHEN kept.last_at < $3 THEN 1 ELSE kept.attempts + 1 END,
     last_at = excluded.last_at,
     blocked_until = CASE
       WHEN $4::integer > 0 AND kept.last_at < $3 OR kept.attempts + 1 < $4::integer THEN 'epoch'
       ELSE excluded.last_at + interval '1 millisecond'
         * least($6::float8, $5::float8 * 2 ^ least(kept.attempts + 1 - $4::integer, 30))
     END
   WHERE kept.blocked_until <= excluded.last_at
   RETURNING subject`,
);

const blockedUntilStatement = sql(
  'signin_blocked_until',
  'SELECT blocked_until FROM sign_in_attempts WHERE subject = $1',
);

const forgiveStatement = sql('signin_forgive_attempts', 'DELETE FROM sign_in_attempts WHERE subject = $1');

const forgiveOneStatement = sql(
  'signin_forgive_attempt',
  `UPDATE sign_in_attempts SET attempts = greatest(attempts - 1, 0), blocked_until = 'epoch' WHERE subject = $1`,
);

const forget = forgetting('signin_forget_attempts', 'sign_in_attempts', 'last_at < $1');

type SignInAttempt = Readonly<{
  subject: string;
  nowMs: number;
  /** Older attempts do not count. */
  sinceMs: number;
  free: number;
  firstWaitMs: number;
  lastWaitMs: number;
}>;

/** False while the subject has to wait. */
export const takeAttempt = (queryable: Queryable, attempt: SignInAttempt): Promise<boolean> =>
  hasRow(queryable, takeStatement, [
    attempt.subject,
    new Date(attempt.nowMs),
    new Date(attempt.sinceMs),
    attempt.free,
    attempt.firstWaitMs,
    attempt.lastWaitMs,
  ]);

export async function blockedUntilMs(queryable: Queryable, subject: string): Promise<number> {
  const [row] = await queryable.query<{ blocked_until: Date }>(blockedUntilStatement, [subject]);
  return row?.blocked_until.getTime() ?? 0;
}

export async function forgiveAll(queryable: Queryable, subject: string): Promise<void> {
  await queryable.query(forgiveStatement, [subject]);
}

export async function forgiveOne(queryable: Queryable, subject: string): Promise<void> {
  await queryable.query(forgiveOneStatement, [subject]);
}

export async function forgetAttemptsBefore(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs)]);
}
