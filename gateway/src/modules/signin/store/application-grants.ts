// Grants that wait for their application to fetch the key. Taking one removes it, so that a code works once.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

/** What a user has agreed to: a key of this name, with these bounds. */
export type GrantRow = Readonly<{
  userId: string;
  codeChallenge: string;
  name: string;
  spendLimitNanoUsd: NanoUsd | null;
  spendLimitPeriod: string | null;
  expiresAt: Date | null;
}>;

const insertStatement = sql(
  'signin_insert_grant',
  `INSERT INTO application_grants
     (code_hash, user_id, code_challenge, key_name, spend_limit_nano_usd, spend_limit_period, key_expires_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const forgetStatement = sql(
  'signin_forget_grants',
  'DELETE FROM application_grants WHERE user_id = $1 AND expires_at <= $2',
);

const countStatement = sql(
  'signin_count_grants',
  'SELECT count(*)::int AS open FROM application_grants WHERE user_id = $1',
);

const takeStatement = sql(
  'signin_take_grant',
  `DELETE FROM application_grants g USING users u
   WHERE g.code_hash = $1 AND g.expires_at > $2 AND u.id = g.user_id AND NOT u.is_suspended
   RETURNING g.user_id AS "userId", g.code_challenge AS "codeChallenge", g.key_name AS name,
     g.spend_limit_nano_usd AS "spendLimitNanoUsd", g.spend_limit_period AS "spendLimitPeriod",
     g.key_expires_at AS "expiresAt"`,
);

type NewGrantRow = Readonly<{ codeHash: Buffer; codeExpiresAtMs: number; grant: GrantRow }>;

/** False when too many grants of the user are open. */
export async function insertGrant(
  queryable: Queryable,
  { codeHash, codeExpiresAtMs, grant }: NewGrantRow,
  { nowMs, openMax }: Readonly<{ nowMs: number; openMax: number }>,
): Promise<boolean> {
  const { userId, codeChallenge, name, spendLimitNanoUsd, spendLimitPeriod, expiresAt } = grant;
  await queryable.query(forgetStatement, [userId, new Date(nowMs)]);
  const [counted] = await queryable.query<{ open: number }>(countStatement, [userId]);
  if ((counted?.open ?? 0) >= openMax) return false;
  const values = [codeHash, userId, codeChallenge, name, spendLimitNanoUsd, spendLimitPeriod, expiresAt];
  await queryable.query(insertStatement, [...values, new Date(codeExpiresAtMs)]);
  return true;
}

export const takeGrant = (queryable: Queryable, codeHash: Buffer, nowMs: number): Promise<GrantRow | null> =>
  firstRow(queryable, takeStatement, [codeHash, new Date(nowMs)]);
