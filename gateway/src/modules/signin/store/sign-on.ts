// The statements on organizations' issuers, and on the sessions that issuers authenticated.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';

type SignOnRow = Readonly<{
  orgId: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  isRequired: boolean;
  trustsEmail: boolean;
  rules: unknown;
}>;

const findStatement = sql(
  'signin_find_sign_on',
  `SELECT org_id AS "orgId", issuer, client_id AS "clientId", client_secret AS "clientSecret",
     is_required AS "isRequired", trusts_email AS "trustsEmail", rules
   FROM org_sign_on
   WHERE org_id = $1`,
);

const putStatement = sql(
  'signin_put_sign_on',
  `INSERT INTO org_sign_on (org_id, issuer, client_id, client_secret, is_required, trusts_email, rules, changed_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)
   ON CONFLICT (org_id) DO UPDATE SET issuer = excluded.issuer, client_id = excluded.client_id,
     client_secret = excluded.client_secret, is_required = excluded.is_required,
     trusts_email = excluded.trusts_email, rules = excluded.rules, changed_at = excluded.changed_at`,
);

const dropStatement = sql('signin_drop_sign_on', 'DELETE FROM org_sign_on WHERE org_id = $1 RETURNING org_id');

const endStatement = sql(
  'signin_end_sign_on_sessions',
  `WITH steps AS (DELETE FROM second_steps WHERE sign_on_org_id = $1)
   DELETE FROM sessions
   WHERE sign_on_org_id = $1
   RETURNING id, user_id AS "userId"`,
);

// Sessions that were used since the last check; the process that claims one asks the issuer, and no other does.
const dueStatement = sql(
  'signin_due_sign_ons',
  `${leaseRows({
    table: 'sessions',
    key: 'id',
    set: 'sign_on_checked_at = $1',
    due: `refresh_token IS NOT NULL AND sign_on_checked_at < $2
       AND last_seen_at >= sign_on_checked_at AND expires_at > $1 AND sign_on_org_id <> ALL ($4::text[])`,
    order: 'sign_on_checked_at',
  })} RETURNING id, user_id AS "userId", sign_on_org_id AS "orgId", refresh_token AS "refreshToken"`,
);

const renewStatement = sql(
  'signin_renew_sign_on',
  'UPDATE sessions SET refresh_token = $3 WHERE id = $1 AND user_id = $2 RETURNING id',
);

export const findSignOn = (queryable: Queryable, orgId: string): Promise<SignOnRow | null> =>
  firstRow(queryable, findStatement, [orgId]);

export async function putSignOn(queryable: Queryable, row: SignOnRow, changedAtMs: number): Promise<void> {
  const { orgId, issuer, clientId, clientSecret, isRequired, trustsEmail, rules } = row;
  const values = [orgId, issuer, clientId, clientSecret, isRequired, trustsEmail, JSON.stringify(rules)];
  await queryable.query(putStatement, [...values, new Date(changedAtMs)]);
}

export const dropSignOn = (queryable: Queryable, orgId: string): Promise<boolean> =>
  hasRow(queryable, dropStatement, [orgId]);

type EndedSession = Readonly<{ id: string; userId: string }>;

/** Ends all sessions that this organization's issuer authenticated, and sign-ins that wait for a second factor. */
export const endSignOnSessions = (queryable: Queryable, orgId: string): Promise<EndedSession[]> =>
  queryable.query<EndedSession>(endStatement, [orgId]);

export type DueSession = EndedSession & Readonly<{ orgId: string; refreshToken: string }>;
/** None of those organizations' that are busy. */
type Due = Readonly<{ nowMs: number; beforeMs: number; limit: number; busyIds: readonly string[] }>;

export const takeDueSessions = (
  queryable: Queryable,
  { nowMs, beforeMs, limit, busyIds }: Due,
): Promise<DueSession[]> =>
  queryable.query<DueSession>(dueStatement, [new Date(nowMs), new Date(beforeMs), limit, busyIds]);

type RenewedSession = EndedSession & Readonly<{ refreshToken: string }>;

export async function renewSession(queryable: Queryable, { id, userId, refreshToken }: RenewedSession): Promise<void> {
  await queryable.query(renewStatement, [id, userId, refreshToken]);
}
