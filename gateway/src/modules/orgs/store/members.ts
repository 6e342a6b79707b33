// The statements on the members of an organization. Code that changes members locks the organization's row, so that two
// changes at once cannot leave it without an administrator.

import type { OrgRole } from '../../../contract/org-management.ts';
import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

/** A person as a member of one organization. */
export type Member = Readonly<{
  memberId: string;
  orgId: string;
  userId: string;
  role: OrgRole;
  teamId: string | null;
  isOrgSuspended: boolean;
  /** The organization requires a second factor of its members' sessions. */
  needsSecondFactor: boolean;
  /** The organization's pages open only for sessions that its issuer has authenticated. */
  needsSignOn: boolean;
}>;

const findMembershipStatement = sql(
  'orgs_find_membership',
  `SELECT m.id AS "memberId", m.org_id AS "orgId", m.user_id AS "userId", m.role, m.team_id AS "teamId",
     o.is_suspended AS "isOrgSuspended", (o.settings->>'needsSecondFactor') IS NOT DISTINCT FROM 'true' AS "needsSecondFactor",
     EXISTS (SELECT FROM org_sign_on s WHERE s.org_id = o.id AND s.is_required) AS "needsSignOn"
   FROM org_members m JOIN organizations o ON o.id = m.org_id
   WHERE m.org_id = $1 AND m.user_id = $2`,
);

export type MemberRow = Readonly<{
  id: string;
  userId: string;
  userName: string;
  userEmail: string;
  teamId: string | null;
  teamName: string | null;
  role: OrgRole;
  joinedAt: Date;
  monthlyBudgetNanoUsd: NanoUsd | null;
}>;

const MEMBERS = `SELECT m.id, u.id AS "userId", u.name AS "userName", u.email AS "userEmail", m.team_id AS "teamId",
     t.name AS "teamName", m.role, m.joined_at AS "joinedAt", m.monthly_budget_nano_usd AS "monthlyBudgetNanoUsd"
   FROM org_members m JOIN users u ON u.id = m.user_id LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
   WHERE m.org_id = $1`;

const listStatement = sql(
  'orgs_list_members',
  `${MEMBERS} AND ($2::text IS NULL OR m.team_id = $2) ORDER BY m.joined_at, m.id`,
);

const findStatement = sql('orgs_find_member', `${MEMBERS} AND m.id = $2`);

const insertStatement = sql(
  'orgs_insert_member',
  `INSERT INTO org_members (id, org_id, user_id, role, team_id, monthly_budget_nano_usd)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (org_id, user_id) DO NOTHING
   RETURNING id`,
);

const changeStatement = sql(
  'orgs_change_member',
  'UPDATE org_members SET role = $3, team_id = $4, monthly_budget_nano_usd = $5 WHERE org_id = $1 AND id = $2',
);

const deleteStatement = sql('orgs_delete_member', 'DELETE FROM org_members WHERE org_id = $1 AND id = $2');

const countOtherAdminsStatement = sql(
  'orgs_count_other_admins',
  `SELECT count(*) AS count FROM org_members WHERE org_id = $1 AND id <> $2 AND role = 'org_admin'`,
);

const findPersonByEmailStatement = sql(
  'orgs_find_person_by_email',
  'SELECT id, email_normalized AS "emailNormalized" FROM users WHERE email_normalized = $1',
);

export const findMembership = (queryable: Queryable, orgId: string, userId: string): Promise<Member | null> =>
  firstRow(queryable, findMembershipStatement, [orgId, userId]);

export function listMembers(queryable: Queryable, orgId: string, onlyTeamId: string | null): Promise<MemberRow[]> {
  return queryable.query<MemberRow>(listStatement, [orgId, onlyTeamId]);
}

export const findMember = (queryable: Queryable, orgId: string, memberId: string): Promise<MemberRow | null> =>
  firstRow(queryable, findStatement, [orgId, memberId]);

type NewMemberRow = Readonly<{
  id: string;
  orgId: string;
  userId: string;
  role: OrgRole;
  teamId: string | null;
  monthlyBudgetNanoUsd: NanoUsd | null;
}>;

/** False when the person is a member already. */
export async function insertMember(queryable: Queryable, member: NewMemberRow): Promise<boolean> {
  const { id, orgId, userId, role, teamId, monthlyBudgetNanoUsd } = member;
  const values = [id, orgId, userId, role, teamId, monthlyBudgetNanoUsd];
  return hasRow(queryable, insertStatement, values);
}

export type MemberChange = Readonly<{ role: OrgRole; teamId: string | null; monthlyBudgetNanoUsd: NanoUsd | null }>;

export async function changeMember(
  queryable: Queryable,
  orgId: string,
  member: MemberChange & Readonly<{ id: string }>,
): Promise<void> {
  const { id, role, teamId, monthlyBudgetNanoUsd } = member;
  await queryable.query(changeStatement, [orgId, id, role, teamId, monthlyBudgetNanoUsd]);
}

export async function deleteMember(queryable: Queryable, orgId: string, memberId: string): Promise<void> {
  await queryable.query(deleteStatement, [orgId, memberId]);
}

/** Holds for as long as the organization is locked. */
export async function isLastAdmin(transaction: Queryable, orgId: string, member: MemberRow): Promise<boolean> {
  if (member.role !== 'org_admin') return false;
  const [row] = await transaction.query<{ count: bigint }>(countOtherAdminsStatement, [orgId, member.id]);
  return row?.count === 0n;
}

/** Null when nobody has the address. */
export async function findPersonByEmail(queryable: Queryable, emailNormalized: string): Promise<string | null> {
  const [row] = await queryable.query<{ id: string }>(findPersonByEmailStatement, [emailNormalized]);
  return row?.id ?? null;
}

// The monthly budgets that apply to one member of an organization.

const findBudgetsStatement = sql(
  'orgs_find_budgets',
  `SELECT m.id AS "memberId", m.monthly_budget_nano_usd AS "memberNanoUsd",
     t.id AS "teamId", t.monthly_budget_nano_usd AS "teamNanoUsd"
   FROM org_members m LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
   WHERE m.org_id = $1 AND m.user_id = $2`,
);

type BudgetsRow = Readonly<{
  memberId: string;
  memberNanoUsd: NanoUsd | null;
  teamId: string | null;
  teamNanoUsd: NanoUsd | null;
}>;

/** Null for a person who is not a member. */
export const findBudgets = (queryable: Queryable, orgId: string, userId: string): Promise<BudgetsRow | null> =>
  firstRow(queryable, findBudgetsStatement, [orgId, userId]);
