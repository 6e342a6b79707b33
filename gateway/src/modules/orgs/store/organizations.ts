// The statements on organizations. The ledger's accounts are only read here.

import type { JsonObject } from '../../../canonical/json.ts';
import type { OrgRole } from '../../../contract/org-management.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

export type OrganizationRow = Readonly<{
  id: string;
  name: string;
  isSuspended: boolean;
  /** How many members it has room for. */
  seats: number;
  settings: unknown;
  /** The operator opened it or vouches for it, so it may add people without an invitation. */
  isVouched: boolean;
  /** Domains that it has confirmed as its own. */
  confirmedDomains: readonly string[];
  /** The domains whose addresses it adds directly, once it is vouched for; without any, all addresses. */
  memberDomains: readonly string[];
  createdAt: Date;
}>;

const COLUMNS = `id, name, is_suspended AS "isSuspended", seats, settings, is_vouched AS "isVouched",
  member_domains AS "memberDomains", created_at AS "createdAt",
  ARRAY(SELECT d.domain FROM org_domains d WHERE d.org_id = organizations.id AND d.confirmed_at IS NOT NULL)
    AS "confirmedDomains"`;

// An organization that the operator opens has no founder, and is vouched for.
const insertStatement = sql(
  'orgs_insert',
  'INSERT INTO organizations (id, name, founder_user_id, is_vouched) VALUES ($1, $2, $3, $3::text IS NULL)',
);

const findStatement = sql('orgs_find', `SELECT ${COLUMNS} FROM organizations WHERE id = $1`);

// Not the strongest lock, so that rows that only refer to the organization can still be added.
const lockStatement = sql(
  'orgs_lock_for_change',
  `SELECT ${COLUMNS} FROM organizations WHERE id = $1 FOR NO KEY UPDATE`,
);

// For rows that are added only if nothing changes meanwhile; several of them may be added at once.
const holdStatement = sql('orgs_hold', 'SELECT id FROM organizations WHERE id = $1 FOR SHARE');

const countStatement = sql(
  'orgs_count_parts',
  `SELECT (SELECT count(*) FROM teams WHERE org_id = $1)::integer AS "teamCount",
     (SELECT count(*) FROM org_members WHERE org_id = $1)::integer AS "memberCount"`,
);

const changeStatement = sql(
  'orgs_change',
  `UPDATE organizations SET name = $2, settings = $3::jsonb, seats = $4, is_suspended = $5, is_vouched = $6,
     member_domains = $7
   WHERE id = $1`,
);

// A person who founds two organizations at once waits here, so that the count is exact.
const lockFounderStatement = sql('orgs_lock_founder', 'SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE');

const countFoundedStatement = sql(
  'orgs_count_founded',
  'SELECT count(*) AS count FROM organizations WHERE founder_user_id = $1',
);

const listOfUserStatement = sql(
  'orgs_list_of_user',
  `SELECT o.id, o.name, o.is_suspended AS "isSuspended", m.id AS "memberId", m.role, m.team_id AS "teamId",
     m.joined_at AS "joinedAt",
     a.balance_nano_usd - coalesce((
       SELECT sum(c.amount_nano_usd) FROM unfolded_charges c WHERE c.account_id = a.id), 0)::bigint AS "balanceNanoUsd"
   FROM org_members m JOIN organizations o ON o.id = m.org_id JOIN accounts a ON a.id = o.id
   WHERE m.user_id = $1 AND ($2::text IS NULL OR o.id = $2)
   ORDER BY o.name, o.id`,
);

type NewOrganizationRow = Readonly<{ id: string; name: string; founderUserId: string | null }>;

export async function insertOrganization(queryable: Queryable, row: NewOrganizationRow): Promise<void> {
  await queryable.query(insertStatement, [row.id, row.name, row.founderUserId]);
}

export const findOrganization = (queryable: Queryable, orgId: string): Promise<OrganizationRow | null> =>
  firstRow(queryable, findStatement, [orgId]);

/** Null when there is no such organization. */
export const lockOrganization = (transaction: Queryable, orgId: string): Promise<OrganizationRow | null> =>
  firstRow(transaction, lockStatement, [orgId]);

/** Until the transaction ends, nothing of the organization changes. */
export async function holdOrganization(transaction: Queryable, orgId: string): Promise<void> {
  await transaction.query(holdStatement, [orgId]);
}

export type Counts = Readonly<{ teamCount: number; memberCount: number }>;

export async function countParts(queryable: Queryable, orgId: string): Promise<Counts> {
  const [row] = await queryable.query<Counts>(countStatement, [orgId]);
  return row ?? { teamCount: 0, memberCount: 0 };
}

export type OrganizationChange = Omit<OrganizationRow, 'id' | 'settings' | 'confirmedDomains' | 'createdAt'> &
  Readonly<{ settings: JsonObject }>;

export async function changeOrganization(
  queryable: Queryable,
  orgId: string,
  { name, settings, seats, isSuspended, isVouched, memberDomains }: OrganizationChange,
): Promise<void> {
  const values = [orgId, name, JSON.stringify(settings), seats, isSuspended, isVouched, memberDomains];
  await queryable.query(changeStatement, values);
}

export async function countFounded(transaction: Queryable, userId: string): Promise<number> {
  await transaction.query(lockFounderStatement, [userId]);
  const [row] = await transaction.query<{ count: bigint }>(countFoundedStatement, [userId]);
  return Number(row?.count ?? 0n);
}

export type MembershipSummaryRow = Readonly<{
  id: string;
  name: string;
  isSuspended: boolean;
  memberId: string;
  role: OrgRole;
  teamId: string | null;
  joinedAt: Date;
  balanceNanoUsd: NanoUsd;
}>;

/** The organizations that a person belongs to, or only the one with the given id. */
export function listOfUser(
  queryable: Queryable,
  userId: string,
  onlyOrgId: string | null,
): Promise<MembershipSummaryRow[]> {
  return queryable.query<MembershipSummaryRow>(listOfUserStatement, [userId, onlyOrgId]);
}
