// Mailed codes and the guesses at them. Counting and judging are one statement, so that of fifty guesses at once all
// are counted and five are compared; and every statement does the same work whether or not the pair exists.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import { INSTITUTION_COLUMNS, INSTITUTION_TABLES, type InstitutionRow } from './keys.ts';

const ATTEMPTS_MAX = 5;
const FAILURES_MAX = 100;

// One minute at first. Each further code with a failed guess doubles it, up to a quarter of an hour.
const cooldown = (codes: string): string =>
  `interval '1 second' * least(60 * 2 ^ least(greatest(${codes}.failures / ${ATTEMPTS_MAX} - 1, 0), 10), 900)`;

const beginStatement = sql(
  'edu_begin_code',
  `WITH institution AS (
     SELECT ${INSTITUTION_COLUMNS} FROM ${INSTITUTION_TABLES} WHERE k.hash = $2 AND k.revoked_at IS NULL
   ), known AS (
     SELECT greatest(c.requested_at + ${cooldown('c')}, c.locked_until) AS "opensAt" FROM edu_codes c WHERE c.pair = $1
   ), begun AS (
     INSERT INTO edu_codes AS kept (pair, requested_at, last_at) VALUES ($1, $3, $3)
     ON CONFLICT (pair) DO UPDATE SET
       code_hash = NULL, attempts = 0, requested_at = excluded.requested_at, last_at = excluded.last_at,
       failures = CASE WHEN kept.locked_until > 'epoch' THEN 0 ELSE kept.failures END, locked_until = 'epoch'
     WHERE kept.requested_at + ${cooldown('kept')} <= excluded.requested_at
       AND kept.locked_until <= excluded.requested_at
     RETURNING pair
   )
   SELECT institution.*, known."opensAt", begun.pair IS NOT NULL AS "isBegun"
   FROM (SELECT) one LEFT JOIN institution ON true LEFT JOIN known ON true LEFT JOIN begun ON true`,
);

const issueStatement = sql(
  'edu_issue_code',
  `UPDATE edu_codes SET code_hash = $3, expires_at = $4 WHERE pair = $1 AND requested_at = $2 RETURNING pair`,
);

// A guess is counted as a failure before it is compared; the right one takes that back. A lock that is over begins a
// new count.
const guessStatement = sql(
  'edu_take_guess',
  `INSERT INTO edu_codes AS kept (pair, attempts, failures, last_at) VALUES ($1, 1, 1, $2)
   ON CONFLICT (pair) DO UPDATE SET
     attempts = kept.attempts + 1,
     failures = CASE WHEN kept.locked_until > 'epoch' THEN 1 ELSE kept.failures + 1 END,
     locked_until = CASE
       WHEN kept.locked_until = 'epoch' AND kept.failures + 1 >= ${FAILURES_MAX}
         THEN excluded.last_at + interval '24 hours'
       ELSE 'epoch'
     END,
     last_at = excluded.last_at
   WHERE kept.attempts < ${ATTEMPTS_MAX} AND kept.locked_until <= excluded.last_at
   RETURNING code_hash AS "codeHash", expires_at AS "expiresAt"`,
);

const useStatement = sql(
  'edu_use_code',
  `UPDATE edu_codes SET code_hash = NULL, failures = 0, locked_until = 'epoch'
   WHERE pair = $1 AND code_hash = $2
   RETURNING pair`,
);

const forget = forgetting('edu_forget_codes', 'edu_codes', 'last_at < $1 AND locked_until < $2');

type BegunRow = (InstitutionRow | Readonly<{ [Column in keyof InstitutionRow]: null }>) &
  Readonly<{
    /** When the pair may ask again, if it has asked before. */
    opensAt: Date | null;
    isBegun: boolean;
  }>;

type CodeRequest = Readonly<{ pair: Buffer; keyHash: Buffer; nowMs: number }>;

/** Begins anew for the pair, unless it has to wait: an earlier code becomes void. Also finds the institution. */
export async function beginCode(queryable: Queryable, { pair, keyHash, nowMs }: CodeRequest): Promise<BegunRow> {
  const [row] = await queryable.query<BegunRow>(beginStatement, [pair, keyHash, new Date(nowMs)]);
  return row as BegunRow;
}

type IssuedCode = Readonly<{ pair: Buffer; requestedAtMs: number; codeHash: Buffer; expiresAtMs: number }>;

/** False when the pair has asked again since. */
export async function issueCode(queryable: Queryable, code: IssuedCode): Promise<boolean> {
  const values = [code.pair, new Date(code.requestedAtMs), code.codeHash, new Date(code.expiresAtMs)];
  return hasRow(queryable, issueStatement, values);
}

type GuessRow = Readonly<{ codeHash: Buffer | null; expiresAt: Date }>;

/** The hash that the guess is compared with. Null when the pair has no guesses left. */
export const takeGuess = (queryable: Queryable, pair: Buffer, nowMs: number): Promise<GuessRow | null> =>
  firstRow(queryable, guessStatement, [pair, new Date(nowMs)]);

/** False when the code was used or replaced since it was compared. */
export const useCode = (queryable: Queryable, pair: Buffer, codeHash: Buffer): Promise<boolean> =>
  hasRow(queryable, useStatement, [pair, codeHash]);

export async function forgetCodesBefore(queryable: Queryable, beforeMs: number, nowMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs), new Date(nowMs)]);
}
