// The statements on invitations. An invitation is open until it ends; an open one that has expired does not count, and
// the next invitation of the same address replaces it.

import type { OrgRole } from '../../../contract/org-management.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

export type InvitationRow = Readonly<{
  id: string;
  orgId: string;
  orgName: string;
  email: string;
  emailNormalized: string;
  role: OrgRole;
  teamId: string | null;
  teamName: string | null;
  monthlyBudgetNanoUsd: NanoUsd | null;
  invitedByUserId: string | null;
  invitedByName: string | null;
  createdAt: Date;
  expiresAt: Date;
  isMailed: boolean;
}>;

const OPEN = `SELECT i.id, i.org_id AS "orgId", o.name AS "orgName", i.email, i.email_normalized AS "emailNormalized",
     i.role, i.team_id AS "teamId", t.name AS "teamName", i.monthly_budget_nano_usd AS "monthlyBudgetNanoUsd",
     i.invited_by_user_id AS "invitedByUserId", u.name AS "invitedByName", i.created_at AS "createdAt",
     i.expires_at AS "expiresAt", i.is_mailed AS "isMailed"
   FROM org_invitations i JOIN organizations o ON o.id = i.org_id
     LEFT JOIN teams t ON t.org_id = i.org_id AND t.id = i.team_id LEFT JOIN users u ON u.id = i.invited_by_user_id
   WHERE i.ended_at IS NULL`;

const listStatement = sql(
  'orgs_list_invitations',
  `${OPEN} AND i.org_id = $1 AND ($2::text IS NULL OR i.team_id = $2) ORDER BY i.created_at, i.id`,
);

const findStatement = sql('orgs_find_invitation', `${OPEN} AND i.org_id = $1 AND i.id = $2`);

const findByTokenStatement = sql(
  'orgs_find_invitation_by_token',
  `${OPEN} AND i.token_hash = $1 AND i.expires_at > $2::timestamptz AND NOT o.is_suspended`,
);

const findByEmailStatement = sql(
  'orgs_find_invitation_by_email',
  `${OPEN} AND i.org_id = $1 AND i.email_normalized = $2`,
);

const listOfAddressStatement = sql(
  'orgs_list_invitations_of_address',
  `${OPEN} AND i.email_normalized = (SELECT email_normalized FROM users WHERE id = $1)
     AND i.expires_at > $2::timestamptz AND NOT o.is_suspended
   ORDER BY o.is_vouched DESC, i.created_at, i.id LIMIT 100`,
);

const insertStatement = sql(
  'orgs_insert_invitation',
  `INSERT INTO org_invitations (id, org_id, token_hash, email, email_normalized, role, team_id,
     monthly_budget_nano_usd, invited_by_user_id, created_at, expires_at, is_mailed)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::timestamptz, $11::timestamptz, $12)`,
);

const endStatement = sql(
  'orgs_end_invitation',
  `UPDATE org_invitations SET ended_at = now(), outcome = $3 WHERE org_id = $1 AND id = $2 AND ended_at IS NULL`,
);

const endByEmailStatement = sql(
  'orgs_end_invitation_by_email',
  `UPDATE org_invitations SET ended_at = now(), outcome = 'replaced'
   WHERE org_id = $1 AND email_normalized = $2 AND ended_at IS NULL`,
);

const countRecentStatement = sql(
  'orgs_count_recent_invitations',
  `SELECT count(*) FILTER (WHERE org_id = $1)::integer AS "ofOrg",
     count(*) FILTER (WHERE invited_by_user_id = $2)::integer AS "ofPerson",
     count(*) FILTER (WHERE mailbox_of(email_normalized) = mailbox_of($3) AND is_mailed)::integer AS "toMailbox"
   FROM org_invitations
   WHERE created_at > $4::timestamptz
     AND (org_id = $1 OR invited_by_user_id = $2 OR mailbox_of(email_normalized) = mailbox_of($3))`,
);

// Held until the transaction ends: two organizations that invite one mailbox at once wait for each other.
const lockMailboxStatement = sql(
  'orgs_lock_mailbox',
  `SELECT pg_advisory_xact_lock(hashtextextended('invitation ' || mailbox_of($1), 0))`,
);

const lastMailedStatement = sql(
  'orgs_last_mailed_invitation',
  `SELECT max(created_at) AS "mailedAt" FROM org_invitations
   WHERE mailbox_of(email_normalized) = mailbox_of($1) AND is_mailed`,
);

const findAddressStatement = sql('orgs_find_address', 'SELECT email_normalized AS "address" FROM users WHERE id = $1');

export function listInvitations(
  queryable: Queryable,
  orgId: string,
  onlyTeamId: string | null,
): Promise<InvitationRow[]> {
  return queryable.query<InvitationRow>(listStatement, [orgId, onlyTeamId]);
}

export const findInvitation = (queryable: Queryable, orgId: string, id: string): Promise<InvitationRow | null> =>
  firstRow(queryable, findStatement, [orgId, id]);

/**
 * The invitations that a person could accept now. Organizations that the operator vouches for come first, however many
 * others there are.
 */
export function listForPerson(queryable: Queryable, userId: string, nowMs: number): Promise<InvitationRow[]> {
  return queryable.query<InvitationRow>(listOfAddressStatement, [userId, new Date(nowMs)]);
}

/**
 * When a mailbox last got an invitation, from anyone and however it was spelled. Others that invite it wait for the
 * transaction.
 */
export async function lastMailedAt(transaction: Queryable, emailNormalized: string): Promise<Date | null> {
  await transaction.query(lockMailboxStatement, [emailNormalized]);
  const [row] = await transaction.query<{ mailedAt: Date | null }>(lastMailedStatement, [emailNormalized]);
  return row?.mailedAt ?? null;
}

/** Null unless the token can be used now. */
export const findByToken = (queryable: Queryable, hash: Buffer, nowMs: number): Promise<InvitationRow | null> =>
  firstRow(queryable, findByTokenStatement, [hash, new Date(nowMs)]);

export const findByEmail = (
  queryable: Queryable,
  orgId: string,
  emailNormalized: string,
): Promise<InvitationRow | null> => firstRow(queryable, findByEmailStatement, [orgId, emailNormalized]);

type NewInvitationRow = Omit<InvitationRow, 'orgName' | 'teamName' | 'invitedByName'> & Readonly<{ tokenHash: Buffer }>;

export async function insertInvitation(queryable: Queryable, row: NewInvitationRow): Promise<void> {
  await queryable.query(insertStatement, [
    row.id,
    row.orgId,
    row.tokenHash,
    row.email,
    row.emailNormalized,
    row.role,
    row.teamId,
    row.monthlyBudgetNanoUsd,
    row.invitedByUserId,
    row.createdAt,
    row.expiresAt,
    row.isMailed,
  ]);
}

type InvitationEnd = Readonly<{
  orgId: string;
  id: string;
  outcome: 'accepted' | 'declined' | 'withdrawn' | 'replaced';
}>;

export async function endInvitation(queryable: Queryable, { orgId, id, outcome }: InvitationEnd): Promise<void> {
  await queryable.query(endStatement, [orgId, id, outcome]);
}

export async function endOpenInvitation(queryable: Queryable, orgId: string, emailNormalized: string): Promise<void> {
  await queryable.query(endByEmailStatement, [orgId, emailNormalized]);
}

export type Sent = Readonly<{ orgId: string; userId: string | null; emailNormalized: string; sinceMs: number }>;
type RecentCounts = Readonly<{ ofOrg: number; ofPerson: number; toMailbox: number }>;

/** Counts recent invitations, whatever has become of them. */
export async function countRecent(queryable: Queryable, sent: Sent): Promise<RecentCounts> {
  const values = [sent.orgId, sent.userId, sent.emailNormalized, new Date(sent.sinceMs)];
  const [row] = await queryable.query<RecentCounts>(countRecentStatement, values);
  return row ?? { ofOrg: 0, ofPerson: 0, toMailbox: 0 };
}

/** A person's address in the form that is unique. A person with an account has confirmed the address. */
export async function findAddress(queryable: Queryable, userId: string): Promise<string | null> {
  const [row] = await queryable.query<{ address: string }>(findAddressStatement, [userId]);
  return row?.address ?? null;
}
