// The teams of an organization. A team's name is unique in it; deleting a team leaves its members without one and
// revokes its keys.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import {
  type Authority,
  budgetNumber,
  changeUnderLock,
  difference,
  type OrgChangeOptions,
  teamNotFound,
} from './change.ts';
import { countParts } from './store/organizations.ts';
import * as store from './store/teams.ts';

/** More than the groups of any directory, and still a list that can be read. */
const TEAMS_MAX = 2_000;

export type Team = store.CountedTeamRow;
export type TeamFields = Omit<store.TeamRow, 'id'>;

export type Teams = Readonly<{
  /** In the order of their names; only one team where an id is given. */
  list(orgId: string, onlyTeamId: string | null): Promise<readonly Team[]>;
  create(orgId: string, team: TeamFields, authority: Authority): Promise<Team>;
  /** A field that is left out stays as it is. */
  change(orgId: string, teamId: string, change: Partial<TeamFields>, authority: Authority): Promise<Team>;
  remove(orgId: string, teamId: string, authority: Authority): Promise<void>;
}>;

export type TeamsOptions = OrgChangeOptions &
  Readonly<{
    /** Runs in the transaction; answers the revoked keys. */
    revokeKeys(
      transaction: Queryable,
      keys: Readonly<{ accountId: string; teamId: string }>,
    ): Promise<readonly Readonly<{ id: string }>[]>;
  }>;

export function createTeams(options: TeamsOptions): Teams {
  const { database } = options;
  return {
    list: (orgId, onlyTeamId) => store.listTeams(database, orgId, onlyTeamId),
    create: (orgId, fields, { actor }) =>
      changeUnderLock(options, orgId, (transaction) => addTeam(options, transaction, { orgId, fields, actor })),
    change: (orgId, teamId, change, authority) =>
      changeUnderLock(options, orgId, (transaction) =>
        changeTeamIn(options, transaction, { orgId, teamId, change, authority }),
      ),
    remove: (orgId, teamId, { actor }) =>
      changeUnderLock(options, orgId, (transaction) => removeTeam(options, transaction, { orgId, teamId, actor })),
  };
}

/** A new team of which only the name is given. */
export const NEW_TEAM: Omit<TeamFields, 'name'> = {
  description: null,
  costCenterCode: null,
  permissionScope: [],
  monthlyBudgetNanoUsd: null,
};

type NewTeam = Readonly<{ orgId: string; fields: TeamFields; actor: AuditActor }>;

/** Runs under the organization's lock, as do the two below. */
export async function addTeam(
  { record }: TeamsOptions,
  transaction: Queryable,
  { orgId, fields, actor }: NewTeam,
): Promise<Team> {
  const team = { id: newId('team'), ...fields };
  if ((await countParts(transaction, orgId)).teamCount >= TEAMS_MAX)
    throw new ApiError('http_409', `There can be ${TEAMS_MAX} teams at most. Delete one first.`);
  await refuseTakenName(transaction, orgId, team);
  await store.insertTeam(transaction, orgId, team);
  const target = { targetType: 'team', targetId: team.id };
  await record(transaction, { orgId, action: 'team.create', actor, ...target, after: loggedTeam(team) });
  return { ...team, memberCount: 0 };
}

export async function removeTeam(
  { record, revokeKeys }: TeamsOptions,
  transaction: Queryable,
  { orgId, teamId, actor }: Readonly<{ orgId: string; teamId: string; actor: AuditActor }>,
): Promise<void> {
  const team = await store.findTeam(transaction, orgId, teamId);
  if (team === null) throw teamNotFound();
  const keys = await revokeKeys(transaction, { accountId: orgId, teamId });
  await store.deleteTeam(transaction, orgId, teamId);
  const target = { targetType: 'team', targetId: teamId };
  const before = { ...loggedTeam(team), memberCount: team.memberCount, revokedKeyIds: keys.map(({ id }) => id) };
  await record(transaction, { orgId, action: 'team.delete', actor, ...target, before });
}

type TeamChange = Readonly<{ orgId: string; teamId: string; change: Partial<TeamFields>; authority: Authority }>;

export async function changeTeamIn(
  { record }: TeamsOptions,
  transaction: Queryable,
  { orgId, teamId, change, authority }: TeamChange,
): Promise<Team> {
  const team = await store.findTeam(transaction, orgId, teamId);
  if (team === null) throw teamNotFound();
  refuseForeign(authority, team, change);
  const changed = { ...team, ...change };
  const entry = difference(loggedTeam(team), loggedTeam(changed));
  if (entry === null) return team;
  await refuseTakenName(transaction, orgId, changed);
  await store.changeTeam(transaction, orgId, changed);
  const target = { targetType: 'team', targetId: teamId };
  await record(transaction, { orgId, action: 'team.update', actor: authority.actor, ...target, ...entry });
  return changed;
}

/** A team's administrator may only lower what the team was given, and decides nothing else about it. */
function refuseForeign({ onlyTeamId }: Authority, team: store.TeamRow, change: Partial<TeamFields>): void {
  if (onlyTeamId === null) return;
  if (onlyTeamId !== team.id)
    throw new ApiError(
      'http_403',
      'A team_admin manages only the own team. Ask an administrator of your organization.',
    );
  if (Object.keys(change).some((name) => name !== 'monthlyBudgetNanoUsd')) {
    throw new ApiError('http_403', 'A team_admin may change only the monthlyBudget of the team.');
  }
  const { monthlyBudgetNanoUsd: wanted = team.monthlyBudgetNanoUsd } = change;
  if (isMore(wanted, team.monthlyBudgetNanoUsd)) {
    throw new ApiError('http_403', 'A team_admin may lower the monthlyBudget of the team; an org_admin raises it.');
  }
}

/** Null means no limit. */
function isMore(wanted: bigint | null, given: bigint | null): boolean {
  return given !== null && (wanted === null || wanted > given);
}

async function refuseTakenName(
  transaction: Queryable,
  orgId: string,
  team: Pick<store.TeamRow, 'id' | 'name'>,
): Promise<void> {
  if (!(await store.isNameTaken(transaction, orgId, team))) return;
  throw new ApiError('http_409', 'name: the organization has a team of this name already.');
}

const loggedTeam = ({ name, description, costCenterCode, permissionScope, monthlyBudgetNanoUsd }: TeamFields) => ({
  name,
  description,
  costCenterCode,
  permissionScope,
  monthlyBudget: budgetNumber(monthlyBudgetNanoUsd),
});
