// The statements on groups of an organization's directory and their members. Every one names the organization.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { ListSpan } from './provisioned-people.ts';

export type GroupRow = Readonly<{
  id: string;
  teamId: string;
  displayName: string;
  externalId: string | null;
  hasOpenedTeam: boolean;
  createdAt: Date;
  changedAt: Date;
}>;

export type GroupMemberRow = Readonly<{ groupId: string; personId: string; userName: string }>;

const COLUMNS = `g.id, g.team_id AS "teamId", t.name AS "displayName", g.external_id AS "externalId",
  g.has_opened_team AS "hasOpenedTeam", g.created_at AS "createdAt", g.changed_at AS "changedAt"`;

const FROM = 'FROM provisioned_groups g JOIN teams t ON t.org_id = g.org_id AND t.id = g.team_id WHERE g.org_id = $1';

const FOUND = `${FROM} AND ($2::text IS NULL OR lower(t.name) = lower($2)) AND ($3::text IS NULL OR g.external_id = $3)
  AND ($4::text IS NULL OR g.id = $4) AND ($5::text IS NULL OR EXISTS (
    SELECT FROM provisioned_group_members m WHERE m.org_id = g.org_id AND m.group_id = g.id AND m.person_id = $5))`;

const listStatement = sql(
  'orgs_list_provisioned_groups',
  `SELECT ${COLUMNS} ${FOUND} ORDER BY g.created_at, g.id OFFSET $6 LIMIT $7`,
);

const countStatement = sql('orgs_count_provisioned_groups', `SELECT count(*) AS count ${FOUND}`);

const findStatement = sql('orgs_find_provisioned_group', `SELECT ${COLUMNS} ${FROM} AND g.id = $2`);

const findTeamStatement = sql(
  'orgs_find_team_for_group',
  `SELECT t.id AS "teamId", g.id AS "groupId" FROM teams t
   LEFT JOIN provisioned_groups g ON g.org_id = t.org_id AND g.team_id = t.id
   WHERE t.org_id = $1 AND t.name = $2`,
);

const insertStatement = sql(
  'orgs_insert_provisioned_group',
  `INSERT INTO provisioned_groups (org_id, id, team_id, external_id, has_opened_team, created_at, changed_at)
   VALUES ($1, $2, $3, $4, $5, $6, $6)`,
);

const changeStatement = sql(
  'orgs_change_provisioned_group',
  'UPDATE provisioned_groups SET external_id = $3, changed_at = $4 WHERE org_id = $1 AND id = $2',
);

const deleteStatement = sql(
  'orgs_delete_provisioned_group',
  'DELETE FROM provisioned_groups WHERE org_id = $1 AND id = $2',
);

const membersStatement = sql(
  'orgs_list_provisioned_group_members',
  `SELECT m.group_id AS "groupId", m.person_id AS "personId", p.user_name AS "userName"
   FROM provisioned_group_members m JOIN provisioned_people p ON p.org_id = m.org_id AND p.id = m.person_id
   WHERE m.org_id = $1 AND m.group_id = ANY ($2) AND p.deleted_at IS NULL
   ORDER BY m.group_id, m.position`,
);

const countMembersStatement = sql(
  'orgs_count_provisioned_group_members',
  'SELECT count(*) AS count FROM provisioned_group_members WHERE org_id = $1',
);

const addStatement = sql(
  'orgs_add_provisioned_group_members',
  `INSERT INTO provisioned_group_members (org_id, group_id, person_id)
   SELECT $1, $2, p.id FROM provisioned_people p
   WHERE p.org_id = $1 AND p.id = ANY ($3) AND p.deleted_at IS NULL
   RETURNING person_id AS id`,
);

const removeStatement = sql(
  'orgs_remove_provisioned_group_members',
  'DELETE FROM provisioned_group_members WHERE org_id = $1 AND group_id = $2 AND person_id = ANY ($3)',
);

const forgetPersonStatement = sql(
  'orgs_forget_provisioned_group_member',
  'DELETE FROM provisioned_group_members WHERE org_id = $1 AND person_id = $2',
);

const teamOfStatement = sql(
  'orgs_find_team_of_provisioned_person',
  `SELECT g.team_id AS "teamId" FROM provisioned_group_members m
   JOIN provisioned_groups g ON g.org_id = m.org_id AND g.id = m.group_id
   WHERE m.org_id = $1 AND m.person_id = $2
   ORDER BY m.position DESC LIMIT 1`,
);

// The administrator of a team who is moved to another team does not administer the new one.
const placeStatement = sql(
  'orgs_place_provisioned_people',
  `UPDATE org_members m SET team_id = c.team_id, role = CASE m.role WHEN 'team_admin' THEN 'member' ELSE m.role END
   FROM (
     SELECT p.user_id, (
       SELECT g.team_id FROM provisioned_group_members gm
       JOIN provisioned_groups g ON g.org_id = gm.org_id AND g.id = gm.group_id
       WHERE gm.org_id = p.org_id AND gm.person_id = p.id ORDER BY gm.position DESC LIMIT 1
     ) AS team_id
     FROM provisioned_people p WHERE p.org_id = $1 AND p.id = ANY ($2)
   ) c
   WHERE m.org_id = $1 AND m.user_id = c.user_id AND m.team_id IS DISTINCT FROM c.team_id
   RETURNING m.id AS "memberId", m.user_id AS "userId", m.team_id AS "teamId"`,
);

export type GroupFilter = Readonly<{
  displayName: string | null;
  externalId: string | null;
  id: string | null;
  memberId: string | null;
}>;

const valuesOf = (orgId: string, { displayName, externalId, id, memberId }: GroupFilter) => [
  orgId,
  displayName,
  externalId,
  id,
  memberId,
];

export const listGroups = (
  queryable: Queryable,
  orgId: string,
  filter: GroupFilter,
  { offset, limit }: ListSpan,
): Promise<GroupRow[]> => queryable.query<GroupRow>(listStatement, [...valuesOf(orgId, filter), offset, limit]);

export async function countGroups(queryable: Queryable, orgId: string, filter: GroupFilter): Promise<number> {
  const [row] = await queryable.query<{ count: bigint }>(countStatement, valuesOf(orgId, filter));
  return Number(row?.count ?? 0n);
}

export const findGroup = (queryable: Queryable, orgId: string, groupId: string): Promise<GroupRow | null> =>
  firstRow(queryable, findStatement, [orgId, groupId]);

type NamedTeam = Readonly<{ teamId: string; groupId: string | null }>;

/** The team of this name, and its group if it has one; null when there is none. */
export const findNamedTeam = (queryable: Queryable, orgId: string, name: string): Promise<NamedTeam | null> =>
  firstRow(queryable, findTeamStatement, [orgId, name]);

export async function insertGroup(
  queryable: Queryable,
  orgId: string,
  group: Omit<GroupRow, 'displayName' | 'changedAt'>,
): Promise<void> {
  const { id, teamId, externalId, hasOpenedTeam, createdAt } = group;
  await queryable.query(insertStatement, [orgId, id, teamId, externalId, hasOpenedTeam, createdAt]);
}

export async function changeGroup(
  queryable: Queryable,
  orgId: string,
  { id, externalId, changedAt }: Pick<GroupRow, 'id' | 'externalId' | 'changedAt'>,
): Promise<void> {
  await queryable.query(changeStatement, [orgId, id, externalId, changedAt]);
}

export async function deleteGroup(queryable: Queryable, orgId: string, groupId: string): Promise<void> {
  await queryable.query(deleteStatement, [orgId, groupId]);
}

export const listGroupMembers = (
  queryable: Queryable,
  orgId: string,
  groupIds: readonly string[],
): Promise<GroupMemberRow[]> => queryable.query<GroupMemberRow>(membersStatement, [orgId, groupIds]);

export async function countGroupMembers(queryable: Queryable, orgId: string): Promise<number> {
  const [row] = await queryable.query<{ count: bigint }>(countMembersStatement, [orgId]);
  return Number(row?.count ?? 0n);
}

type Membership = Readonly<{ groupId: string; personIds: readonly string[] }>;

/** Answers how many were added. */
export async function addGroupMembers(
  queryable: Queryable,
  orgId: string,
  { groupId, personIds }: Membership,
): Promise<number> {
  return (await queryable.query(addStatement, [orgId, groupId, personIds])).length;
}

export async function removeGroupMembers(
  queryable: Queryable,
  orgId: string,
  { groupId, personIds }: Membership,
): Promise<void> {
  await queryable.query(removeStatement, [orgId, groupId, personIds]);
}

export async function leaveGroups(queryable: Queryable, orgId: string, personId: string): Promise<void> {
  await queryable.query(forgetPersonStatement, [orgId, personId]);
}

/** The team of a person by their groups. */
export async function teamOfPerson(queryable: Queryable, orgId: string, personId: string): Promise<string | null> {
  const [row] = await queryable.query<{ teamId: string }>(teamOfStatement, [orgId, personId]);
  return row?.teamId ?? null;
}

export type Placed = Readonly<{ memberId: string; userId: string; teamId: string | null }>;

/** Puts members into the teams of their groups, and answers who was moved. */
export const placePeople = (queryable: Queryable, orgId: string, personIds: readonly string[]): Promise<Placed[]> =>
  queryable.query<Placed>(placeStatement, [orgId, personIds]);
