// The statements on sessions. Every condition names the user but one: the look-up by the hash of the secret, which
// tells the user.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import { stillHasPassword } from './credentials.ts';

export type Session = Readonly<{
  id: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  userAgent: string | null;
  ip: string | null;
}>;

type FoundSessionRow = Readonly<{
  id: string;
  userId: string;
  isSuspended: boolean;
  hasSecondFactor: boolean;
  signOnOrgId: string | null;
  lastSeenAt: Date;
  expiresAt: Date;
}>;

const insertStatement = sql(
  'signin_insert_session',
  `INSERT INTO sessions (id, hash, user_id, created_at, last_seen_at, expires_at, ends_at, user_agent, ip, second_factor_at,
     sign_on_org_id, refresh_token, sign_on_checked_at)
   SELECT $1, $2, $3, $4::timestamptz, $4::timestamptz, $5::timestamptz, $6::timestamptz, $7, $8, $9::timestamptz, $10,
     $11, $4::timestamptz
   WHERE ${stillHasPassword('$3', '$12')}
   RETURNING id`,
);

// A script may sign in a thousand times a day; the sessions that were used last stay.
const trimStatement = sql(
  'signin_trim_sessions',
  `DELETE FROM sessions
   WHERE user_id = $1 AND id IN (
     SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_seen_at DESC, id OFFSET $2
   )`,
);

const findStatement = sql(
  'signin_find_session',
  `SELECT s.id, s.user_id AS "userId", u.is_suspended AS "isSuspended",
     s.second_factor_at IS NOT NULL AS "hasSecondFactor", s.sign_on_org_id AS "signOnOrgId",
     s.last_seen_at AS "lastSeenAt", s.expires_at AS "expiresAt"
   FROM sessions s JOIN users u ON u.id = s.user_id
   WHERE s.hash = $1 AND s.expires_at > $2`,
);

const touchStatement = sql(
  'signin_touch_session',
  `UPDATE sessions SET last_seen_at = $3, expires_at = least($4, ends_at)
   WHERE id = $1 AND user_id = $2 AND expires_at > $3
   RETURNING expires_at`,
);

const listStatement = sql(
  'signin_list_sessions',
  `SELECT id, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt",
     user_agent AS "userAgent", ip
   FROM sessions
   WHERE user_id = $1 AND expires_at > $2
   ORDER BY last_seen_at DESC, id`,
);

const endStatement = sql('signin_end_session', 'DELETE FROM sessions WHERE id = $1 AND user_id = $2 RETURNING id');

const strengthenStatement = sql(
  'signin_strengthen_session',
  'UPDATE sessions SET second_factor_at = $3 WHERE id = $1 AND user_id = $2 RETURNING id',
);

// What was begun and would give access later ends too: sign-ins that wait for a second factor, and codes for keys.
const endAllStatement = sql(
  'signin_end_sessions',
  `WITH steps AS (DELETE FROM second_steps WHERE user_id = $1 AND purpose = 'sign_in'),
     grants AS (DELETE FROM application_grants WHERE user_id = $1)
   DELETE FROM sessions
   WHERE user_id = $1 AND id IS DISTINCT FROM $2`,
);

const forget = forgetting('signin_forget_sessions', 'sessions', 'expires_at <= $1');

export type NewSessionRow = Readonly<{
  id: string;
  hash: Buffer;
  userId: string;
  createdAtMs: number;
  expiresAtMs: number;
  endsAtMs: number;
  userAgent: string | null;
  ip: string | null;
  secondFactorAtMs: number | null;
  signOn: Readonly<{ orgId: string; refreshToken: string | null }> | null;
  passwordHash: string | null;
}>;

/** False when the person has another password by now. */
export async function insertSession(queryable: Queryable, session: NewSessionRow, keptMax: number): Promise<boolean> {
  const isOpened = await hasRow(queryable, insertStatement, [
    session.id,
    session.hash,
    session.userId,
    new Date(session.createdAtMs),
    new Date(session.expiresAtMs),
    new Date(session.endsAtMs),
    session.userAgent,
    session.ip,
    session.secondFactorAtMs === null ? null : new Date(session.secondFactorAtMs),
    session.signOn?.orgId ?? null,
    session.signOn?.refreshToken ?? null,
    session.passwordHash,
  ]);
  if (isOpened) await queryable.query(trimStatement, [session.userId, keptMax]);
  return isOpened;
}

export const findSession = (queryable: Queryable, hash: Buffer, nowMs: number): Promise<FoundSessionRow | null> =>
  firstRow(queryable, findStatement, [hash, new Date(nowMs)]);

type Touch = Readonly<{ id: string; userId: string; nowMs: number; expiresAtMs: number }>;

/** When it expires now; null when it has ended. */
export async function touchSession(queryable: Queryable, touch: Touch): Promise<Date | null> {
  const values = [touch.id, touch.userId, new Date(touch.nowMs), new Date(touch.expiresAtMs)];
  const [row] = await queryable.query<{ expires_at: Date }>(touchStatement, values);
  return row?.expires_at ?? null;
}

export function listSessions(queryable: Queryable, userId: string, nowMs: number): Promise<Session[]> {
  return queryable.query<Session>(listStatement, [userId, new Date(nowMs)]);
}

/** False when the user has no such session. */
export const endSession = (queryable: Queryable, userId: string, sessionId: string): Promise<boolean> =>
  hasRow(queryable, endStatement, [sessionId, userId]);

type Strengthened = Readonly<{ id: string; userId: string; nowMs: number }>;

export async function strengthenSession(queryable: Queryable, { id, userId, nowMs }: Strengthened): Promise<void> {
  await queryable.query(strengthenStatement, [id, userId, new Date(nowMs)]);
}

export async function endSessions(queryable: Queryable, userId: string, exceptId: string | null): Promise<void> {
  await queryable.query(endAllStatement, [userId, exceptId]);
}

export async function forgetExpiredSessions(queryable: Queryable, nowMs: number): Promise<void> {
  await forget(queryable, [new Date(nowMs)]);
}
