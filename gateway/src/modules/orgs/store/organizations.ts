// The statements on organizations and who belongs to them.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type OrganizationRow = Readonly<{ id: string; name: string; isSuspended: boolean; createdAt: Date }>;

export type MemberRole = 'org_admin' | 'billing_viewer' | 'team_admin' | 'member';

const COLUMNS = 'id, name, is_suspended AS "isSuspended", created_at AS "createdAt"';

const insertStatement = sql('orgs_insert', `INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING ${COLUMNS}`);

const insertMemberStatement = sql(
  'orgs_insert_member',
  'INSERT INTO org_members (id, org_id, user_id, role) VALUES ($1, $2, $3, $4)',
);

const findStatement = sql('orgs_find', `SELECT ${COLUMNS} FROM organizations WHERE id = $1`);

const suspendStatement = sql(
  'orgs_set_suspended',
  `UPDATE organizations SET is_suspended = $2 WHERE id = $1 RETURNING ${COLUMNS}`,
);

const findMemberStatement = sql('orgs_find_member', 'SELECT role FROM org_members WHERE org_id = $1 AND user_id = $2');

export async function insertOrganization(queryable: Queryable, orgId: string, name: string): Promise<void> {
  await queryable.query(insertStatement, [orgId, name]);
}

export type NewMemberRow = Readonly<{ id: string; orgId: string; userId: string; role: MemberRole }>;

export async function insertMember(queryable: Queryable, member: NewMemberRow): Promise<void> {
  await queryable.query(insertMemberStatement, [member.id, member.orgId, member.userId, member.role]);
}

export async function findOrganization(queryable: Queryable, orgId: string): Promise<OrganizationRow | null> {
  const [row] = await queryable.query<OrganizationRow>(findStatement, [orgId]);
  return row ?? null;
}

/** False when there is no such organization. */
export async function setSuspended(queryable: Queryable, orgId: string, isSuspended: boolean): Promise<boolean> {
  return (await queryable.query(suspendStatement, [orgId, isSuspended])).length === 1;
}

export async function findMemberRole(queryable: Queryable, orgId: string, userId: string): Promise<MemberRole | null> {
  const [row] = await queryable.query<{ role: MemberRole }>(findMemberStatement, [orgId, userId]);
  return row?.role ?? null;
}
