// GET and POST /v1/orgs/:orgId/teams, PATCH and DELETE below it. Only org_admins manage teams; a team_admin sees their
// own team and may lower its budget.

import { ChangeTeamBody, NewTeamBody, type TeamObject, type TeamsAnswer } from '../../contract/org-management.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import { budgetNumber } from '../../modules/orgs/change.ts';
import { NEW_TEAM, type Team, type TeamFields, type Teams } from '../../modules/orgs/teams.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { given, usdField } from '../request-fields.ts';
import { requireAdmin, requireAuthority } from './authority.ts';
import { type MonthSpendServices, monthSpendByTeam } from './month-spend.ts';
import type { RoleServices } from './require-role.ts';

export type TeamServices = RoleServices & MonthSpendServices & Readonly<{ teams: Teams }>;

export const listTeams =
  (services: TeamServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, onlyTeamId } = await requireAuthority(services, exchange, principal);
    const [teams, spends] = await Promise.all([
      services.teams.list(orgId, onlyTeamId),
      monthSpendByTeam(services, orgId),
    ]);
    const answer: TeamsAnswer = {
      teams: teams.map((team) => ({ ...teamObject(team), monthSpend: spends.get(team.id) ?? 0 })),
    };
    sendJson(exchange, 200, answer);
  };

export function createTeam(services: TeamServices): PrincipalHandler {
  const readBody = bodyReader(NewTeamBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAdmin(services, exchange, principal);
    const { name, ...wishes } = await readBody(exchange);
    const team = await services.teams.create(orgId, { ...NEW_TEAM, ...fieldsOf(wishes), name: name.trim() }, authority);
    sendJson(exchange, 201, teamObject(team));
  };
}

export function changeTeam(services: TeamServices): PrincipalHandler {
  const readBody = bodyReader(ChangeTeamBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    const changes = fieldsOf(await readBody(exchange));
    const team = await services.teams.change(orgId, exchange.params.teamId ?? '', changes, authority);
    sendJson(exchange, 200, teamObject(team));
  };
}

export const deleteTeam =
  (services: TeamServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, ...authority } = await requireAdmin(services, exchange, principal);
    await services.teams.remove(orgId, exchange.params.teamId ?? '', authority);
    sendEmpty(exchange, 204);
  };

function fieldsOf(body: ChangeTeamBody): Partial<TeamFields> {
  const { name, description, costCenterCode, permissionScope } = body;
  const monthlyBudgetNanoUsd = usdField('monthlyBudget', body.monthlyBudget);
  return given({ name: name?.trim(), description, costCenterCode, permissionScope, monthlyBudgetNanoUsd });
}

const teamObject = ({ monthlyBudgetNanoUsd, ...team }: Team): TeamObject => ({
  id: team.id,
  name: team.name,
  description: team.description,
  costCenterCode: team.costCenterCode,
  permissionScope: team.permissionScope,
  monthlyBudget: budgetNumber(monthlyBudgetNanoUsd),
  memberCount: team.memberCount,
});
