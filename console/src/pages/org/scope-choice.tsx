// The choice of whose setting is shown: the whole organization's, one team's or one member's. A team's administrator
// can choose only their own team and its members.

import { useQuery } from '@tanstack/react-query';
import type { Member } from '../../api/orgs/members.ts';
import { membersQuery } from '../../api/orgs/members.ts';
import { parseScope, type Scope, scopeText, WHOLE } from '../../api/orgs/scopes.ts';
import { type Team, teamsQuery } from '../../api/orgs/teams.ts';
import type { OrganizationRole } from '../../api/session.ts';
import type { ComingToOrg } from '../../page-route.ts';
import { SelectField } from '../../ui/field.tsx';
import { useOrg } from './current-org.ts';

export type OrgPeople = Readonly<{ teams: readonly Team[]; members: readonly Member[] }>;

const mayReadPeople = (role: OrganizationRole): boolean => role === 'org_admin' || role === 'team_admin';

/** Begins to fetch the teams and the members for a page that is about to open. */
export function fetchPeople({ queryClient, params: { orgId }, role }: ComingToOrg): void {
  if (!mayReadPeople(role)) return;
  void queryClient.prefetchQuery(teamsQuery(orgId));
  void queryClient.prefetchQuery(membersQuery(orgId));
}

/** The teams and the members that the role may read; empty while they are loading. */
export function useOrgPeople(): OrgPeople {
  const { id: orgId, role } = useOrg();
  const enabled = mayReadPeople(role);
  const { data: teams = [] } = useQuery({ ...teamsQuery(orgId), enabled });
  const { data: members = [] } = useQuery({ ...membersQuery(orgId), enabled });
  return { teams, members };
}

/** The scopes from the whole organization down to the given one; a member's team stands in between. */
export function chainTo(scope: Scope, members: readonly Member[]): readonly Scope[] {
  if (scope.kind === 'org') return [WHOLE];
  const teamId = scope.kind === 'member' ? members.find(({ id }) => id === scope.id)?.teamId : null;
  const team: readonly Scope[] = teamId === null || teamId === undefined ? [] : [{ kind: 'team', id: teamId }];
  return [WHOLE, ...team, scope];
}

export function scopeName(scope: Scope, { teams, members }: OrgPeople): string {
  switch (scope.kind) {
    case 'org':
      return 'Organization';
    case 'team':
      return teams.find(({ id }) => id === scope.id)?.name ?? 'Team';
    case 'member':
      return members.find(({ id }) => id === scope.id)?.user.name ?? 'Member';
  }
}

type ScopeChoiceProps = Readonly<{ scope: Scope; people: OrgPeople; onChange: (scope: Scope) => void }>;

export function ScopeChoice({ scope, people: { teams, members }, onChange }: ScopeChoiceProps) {
  const { role, name } = useOrg();
  return (
    <SelectField
      label="For"
      value={scopeText(scope)}
      className="sm:w-72"
      onChange={(event) => onChange(parseScope(event.target.value))}
    >
      {role !== 'team_admin' && <option value="org">The whole of {name}</option>}
      {teams.length > 0 && (
        <optgroup label="Teams">
          {teams.map((team) => (
            <option key={team.id} value={`team:${team.id}`}>
              {team.name}
            </option>
          ))}
        </optgroup>
      )}
      {members.length > 0 && (
        <optgroup label="Members">
          {members.map(({ id, user }) => (
            <option key={id} value={`member:${id}`}>
              {user.name} ({user.email})
            </option>
          ))}
        </optgroup>
      )}
    </SelectField>
  );
}
