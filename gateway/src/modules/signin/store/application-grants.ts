// Grants that wait for their application to fetch the key. Taking one removes it, so that a code works once.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

type GrantRow = Readonly<{
  user_id: string;
  code_challenge: string;
  key_name: string;
  spend_limit_nano_usd: NanoUsd | null;
  spend_limit_period: string | null;
  key_expires_at: Date | null;
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
   RETURNING g.user_id, g.code_challenge, g.key_name, g.spend_limit_nano_usd, g.spend_limit_period, g.key_expires_at`,
);

type NewGrantRow = Readonly<{ codeHash: Buffer; expiresAtMs: number; grant: GrantRow }>;

/** False when too many grants of the user are open. */
export async function insertGrant(
  queryable: Queryable,
  { codeHash, expiresAtMs, grant }: NewGrantRow,
  { nowMs, openMax }: Readonly<{ nowMs: number; openMax: number }>,
): Promise<boolean> {
  await queryable.query(forgetStatement, [grant.user_id, new Date(nowMs)]);
  const [counted] = await queryable.query<{ open: number }>(countStatement, [grant.user_id]);
  if ((counted?.open ?? 0) >= openMax) return false;
  await queryable.query(insertStatement, [
    codeHash,
    grant.user_id,
    grant.code_challenge,
    grant.key_name,
    grant.spend_limit_nano_usd,
    grant.spend_limit_period,
    grant.key_expires_at,
    new Date(expiresAtMs),
  ]);
  return true;
}

export const takeGrant = (queryable: Queryable, codeHash: Buffer, nowMs: number): Promise<GrantRow | null> =>
  firstRow(queryable, takeStatement, [codeHash, new Date(nowMs)]);
