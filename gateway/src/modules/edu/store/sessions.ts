// Students' sessions: opened, found by the hash of their token, listed, ended. A session whose key was revoked is never
// found.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { FORGOTTEN_TOGETHER, forgetInParts } from '../../../platform/db/forget.ts';
import type { ConfigRow } from './keys.ts';

// Two sessions of one mailbox are opened one after the other, so that each sees those that it may have to replace.
const lockStatement = sql(
  'edu_lock_mailbox',
  `SELECT pg_advisory_xact_lock(hashtextextended('edu mailbox ' || $1 || ' ' || $2, 0))`,
);

const makeRoomStatement = sql(
  'edu_make_room',
  `UPDATE edu_sessions SET revoked_at = $3
   WHERE id IN (
     SELECT id FROM edu_sessions WHERE key_id = $1 AND mailbox = $2 AND revoked_at IS NULL AND expires_at > $3
     ORDER BY created_at DESC, id DESC OFFSET $4
   )
   RETURNING id`,
);

const insertStatement = sql(
  'edu_insert_session',
  `INSERT INTO edu_sessions (id, org_id, key_id, hash, email, mailbox, student_id, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

const findStatement = sql(
  'edu_find_session',
  `SELECT s.id, s.org_id AS "orgId", s.student_id AS "studentId", o.is_suspended AS "isSuspended",
     s.created_at AS "createdAt", s.expires_at AS "expiresAt", c.requests_max AS "requestsMax",
     c.tokens_max AS "tokensMax", c.spend_max_nano_usd AS "spendMaxNanoUsd"
   FROM edu_sessions s JOIN edu_keys k ON k.id = s.key_id JOIN organizations o ON o.id = s.org_id
     LEFT JOIN edu_configs c ON c.org_id = s.org_id
   WHERE s.hash = $1 AND s.revoked_at IS NULL AND k.revoked_at IS NULL`,
);

const revokeStatement = sql(
  'edu_revoke_session',
  `UPDATE edu_sessions SET revoked_at = $3
   WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $3
   RETURNING email`,
);

const revokeOfKeyStatement = sql(
  'edu_revoke_sessions_of_key',
  `UPDATE edu_sessions SET revoked_at = $3
   WHERE org_id = $1 AND key_id = $2 AND revoked_at IS NULL AND expires_at > $3`,
);

const listStatement = sql(
  'edu_list_sessions',
  `SELECT s.id, s.key_id AS "keyId", k.name AS "keyName", s.email, s.created_at AS "createdAt",
     s.expires_at AS "expiresAt", s.revoked_at AS "revokedAt",
     CASE WHEN s.revoked_at IS NOT NULL THEN 'revoked' WHEN s.expires_at <= $2 THEN 'expired' ELSE 'active' END AS status,
     used.requests, used.tokens, used.spent AS "spentNanoUsd", used.last_at AS "lastUsedAt"
   FROM edu_sessions s JOIN edu_keys k ON k.id = s.key_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(u.requests), 0)::bigint AS requests,
         coalesce(sum(u.prompt_tokens + u.completion_tokens), 0)::bigint AS tokens,
         coalesce(sum(u.cost_nano_usd), 0)::bigint AS spent, max(u.last_at) AS last_at
       FROM usage_daily_now u WHERE u.key_id = s.id AND u.account_id = s.org_id
     ) used
   WHERE s.org_id = $1
     AND ($3::text = 'all'
       OR $3 = CASE WHEN s.revoked_at IS NOT NULL THEN 'revoked' WHEN s.expires_at <= $2 THEN 'expired' ELSE 'active' END)
     AND ($4::text IS NULL OR s.email = $4 OR s.mailbox = $4)
     AND ($5::text IS NULL OR (s.created_at, s.id) <
       (SELECT last.created_at, last.id FROM edu_sessions last WHERE last.org_id = $1 AND last.id = $5))
   ORDER BY s.created_at DESC, s.id DESC LIMIT $6`,
);

// The counter of a session's limit has no end of its own, so it is removed with its session.
const forgetStatement = sql(
  'edu_forget_sessions',
  `WITH old AS MATERIALIZED (
     SELECT id FROM edu_sessions WHERE expires_at < $1 LIMIT ${FORGOTTEN_TOGETHER} FOR UPDATE SKIP LOCKED
   ), gone AS (
     DELETE FROM edu_sessions s USING old WHERE s.id = old.id RETURNING s.id
   ), counters AS (
     DELETE FROM spend_counters c USING gone
     WHERE c.scope = 'session' AND c.scope_id = gone.id AND c.leased_nano_usd = 0 AND c.held_nano_usd = 0
       AND NOT EXISTS (SELECT FROM counter_slices s WHERE s.counter_id = c.id)
   )
   SELECT count(*)::integer AS rows FROM gone`,
);

export type NewSessionRow = Readonly<{
  id: string;
  orgId: string;
  keyId: string;
  hash: Buffer;
  email: string;
  mailbox: string;
  studentId: string;
  createdAtMs: number;
  expiresAtMs: number;
}>;

/** Runs in a transaction. Ends the oldest sessions of the mailbox where there would be too many; answers their ids. */
export async function insertSession(
  transaction: Queryable,
  session: NewSessionRow,
  countMax: number,
): Promise<readonly string[]> {
  const { keyId, mailbox, createdAtMs } = session;
  await transaction.query(lockStatement, [keyId, mailbox]);
  const room = [keyId, mailbox, new Date(createdAtMs), countMax - 1];
  const ended = await transaction.query<{ id: string }>(makeRoomStatement, room);
  await transaction.query(insertStatement, [
    session.id,
    session.orgId,
    keyId,
    session.hash,
    session.email,
    mailbox,
    session.studentId,
    new Date(createdAtMs),
    new Date(session.expiresAtMs),
  ]);
  return ended.map(({ id }) => id);
}

export type FoundSessionRow = Readonly<{
  id: string;
  orgId: string;
  studentId: string;
  isSuspended: boolean;
  createdAt: Date;
  expiresAt: Date;
}> &
  Readonly<{ [Quota in 'requestsMax' | 'tokensMax' | 'spendMaxNanoUsd']: ConfigRow[Quota] }>;

/** An expired session is found too, because expiry is checked at the time of the call. */
export const findSession = (queryable: Queryable, hash: Buffer): Promise<FoundSessionRow | null> =>
  firstRow(queryable, findStatement, [hash]);

type SessionPlace = Readonly<{ orgId: string; id: string; atMs: number }>;

/** The owner of the session; null when the organization has no such active session. */
export async function revokeSession(queryable: Queryable, { orgId, id, atMs }: SessionPlace): Promise<string | null> {
  const [row] = await queryable.query<{ email: string }>(revokeStatement, [orgId, id, new Date(atMs)]);
  return row?.email ?? null;
}

/** `id` is the id of the key. */
export async function revokeSessionsOfKey(queryable: Queryable, { orgId, id, atMs }: SessionPlace): Promise<void> {
  await queryable.query(revokeOfKeyStatement, [orgId, id, new Date(atMs)]);
}

type SessionStatus = 'active' | 'expired' | 'revoked';

export type SessionRow = Readonly<{
  id: string;
  keyId: string;
  keyName: string;
  email: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
  status: SessionStatus;
  requests: bigint;
  tokens: bigint;
  spentNanoUsd: bigint;
  lastUsedAt: Date | null;
}>;

export type SessionFilter = Readonly<{
  orgId: string;
  status: SessionStatus | 'all';
  /** Null for the sessions of all students. */
  email: string | null;
  after: string | null;
  limit: number;
}>;

/** Newest first. Reads one more than asked for, to tell whether there is another page. */
export function listSessions(queryable: Queryable, filter: SessionFilter, nowMs: number): Promise<SessionRow[]> {
  const { orgId, status, email, after, limit } = filter;
  return queryable.query<SessionRow>(listStatement, [orgId, new Date(nowMs), status, email, after, limit + 1]);
}

export async function forgetSessionsBefore(queryable: Queryable, beforeMs: number): Promise<void> {
  await forgetInParts(queryable, forgetStatement, [new Date(beforeMs)]);
}
