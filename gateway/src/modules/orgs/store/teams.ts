// The statements on teams. Each names the organization, so that the id of another organization's team finds nothing.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

export type TeamRow = Readonly<{
  id: string;
  name: string;
  description: string | null;
  costCenterCode: string | null;
  permissionScope: readonly string[];
  monthlyBudgetNanoUsd: NanoUsd | null;
}>;

const COLUMNS = `t.id, t.name, t.description, t.cost_center_code AS "costCenterCode",
  t.permission_scope AS "permissionScope", t.monthly_budget_nano_usd AS "monthlyBudgetNanoUsd"`;

const COUNT = `(SELECT count(*) FROM org_members m WHERE m.org_id = t.org_id AND m.team_id = t.id)::int AS "memberCount"`;

const listStatement = sql(
  'orgs_list_teams',
  `SELECT ${COLUMNS}, ${COUNT} FROM teams t
   WHERE t.org_id = $1 AND ($2::text IS NULL OR t.id = $2)
   ORDER BY lower(t.name), t.name`,
);

const findStatement = sql(
  'orgs_find_team',
  `SELECT ${COLUMNS}, ${COUNT} FROM teams t WHERE t.org_id = $1 AND t.id = $2`,
);

const isNameTakenStatement = sql(
  'orgs_is_team_name_taken',
  'SELECT id FROM teams WHERE org_id = $1 AND name = $2 AND id <> $3',
);

const insertStatement = sql(
  'orgs_insert_team',
  `INSERT INTO teams (org_id, id, name, description, cost_center_code, permission_scope, monthly_budget_nano_usd)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

const changeStatement = sql(
  'orgs_change_team',
  `UPDATE teams SET name = $3, description = $4, cost_center_code = $5, permission_scope = $6,
     monthly_budget_nano_usd = $7
   WHERE org_id = $1 AND id = $2`,
);

const demoteStatement = sql(
  'orgs_demote_team_admins',
  `UPDATE org_members SET role = 'member' WHERE org_id = $1 AND team_id = $2 AND role = 'team_admin'`,
);

const deleteStatement = sql('orgs_delete_team', 'DELETE FROM teams WHERE org_id = $1 AND id = $2');

export type CountedTeamRow = TeamRow & Readonly<{ memberCount: number }>;

export function listTeams(queryable: Queryable, orgId: string, onlyTeamId: string | null): Promise<CountedTeamRow[]> {
  return queryable.query<CountedTeamRow>(listStatement, [orgId, onlyTeamId]);
}

export const findTeam = (queryable: Queryable, orgId: string, teamId: string): Promise<CountedTeamRow | null> =>
  firstRow(queryable, findStatement, [orgId, teamId]);

/** Whether another team has the name. Holds for as long as the organization is locked. */
export const isNameTaken = (
  transaction: Queryable,
  orgId: string,
  team: Pick<TeamRow, 'id' | 'name'>,
): Promise<boolean> => hasRow(transaction, isNameTakenStatement, [orgId, team.name, team.id]);

const valuesOf = (orgId: string, team: TeamRow): unknown[] => [
  orgId,
  team.id,
  team.name,
  team.description,
  team.costCenterCode,
  team.permissionScope,
  team.monthlyBudgetNanoUsd,
];

export async function insertTeam(queryable: Queryable, orgId: string, team: TeamRow): Promise<void> {
  await queryable.query(insertStatement, valuesOf(orgId, team));
}

export async function changeTeam(queryable: Queryable, orgId: string, team: TeamRow): Promise<void> {
  await queryable.query(changeStatement, valuesOf(orgId, team));
}

/** Its members stay in the organization; its administrators become plain members. */
export async function deleteTeam(transaction: Queryable, orgId: string, teamId: string): Promise<void> {
  await transaction.query(demoteStatement, [orgId, teamId]);
  await transaction.query(deleteStatement, [orgId, teamId]);
}
