// The spend breakers. Each scope takes the fields that it has not set from the scope above, but compares them with its
// own spending. For a member, the breakers of the team and of the organization are shown as well.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { orgBreakerQuery } from '../../../api/orgs/breakers.ts';
import { parseScope, type Scope, scopeText, WHOLE } from '../../../api/orgs/scopes.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { chainTo, fetchPeople, ScopeChoice, scopeName, useOrgPeople } from '../scope-choice.tsx';
import { BreakerForm } from './breaker-form.tsx';
import { BreakerView } from './breaker-view.tsx';

/** An administrator of a team begins with a team that only the page's frame knows. */
export function ahead(coming: ComingToOrg): void {
  fetchPeople(coming);
  if (coming.role === 'team_admin') return;
  void coming.queryClient.prefetchQuery(orgBreakerQuery(coming.params.orgId, WHOLE));
}

export function OrgBreakers() {
  const { role, teamId } = useOrg();
  const { for: wanted } = useSearch({ from: '/member/org/$orgId/breakers' });
  const navigate = useNavigate({ from: '/org/$orgId/breakers' });
  const people = useOrgPeople();
  // A billing viewer sees no teams and no members, so there is nothing to choose from.
  const hasChoice = role !== 'billing_viewer';
  const scope = hasChoice ? scopeOf(wanted, role === 'team_admin' ? teamId : null) : WHOLE;
  // A team's administrator may look only at the own team and its members.
  const chain = chainTo(scope, people.members).filter(({ kind }) => role !== 'team_admin' || kind !== 'org');
  const isKnown = scope.kind !== 'member' || people.members.length > 0;
  return (
    <Page
      title="Breakers"
      description="A breaker stops all calls of the organization, the team or the member when they spend more than this in a minute or an hour. Calls work again when the minute or the hour is over."
      actions={
        hasChoice && (
          <ScopeChoice
            scope={scope}
            people={people}
            onChange={(chosen) => void navigate({ search: { for: scopeText(chosen) }, replace: true })}
          />
        )
      }
    >
      {isKnown ? (
        chain
          .toReversed()
          .map((level, index) => (
            <LevelCard
              key={scopeText(level)}
              level={level}
              name={scopeName(level, people)}
              isEdited={index === 0 && hasChoice}
            />
          ))
      ) : (
        <Loading />
      )}
    </Page>
  );
}

/** A team's administrator begins with the own team, and may not see the whole organization's. */
function scopeOf(wanted: string | undefined, ownTeamId: string | null): Scope {
  const scope = parseScope(wanted);
  return scope.kind === 'org' && ownTeamId !== null ? { kind: 'team', id: ownTeamId } : scope;
}

const LEVEL_NAMES: Readonly<Record<Scope['kind'], string>> = {
  org: 'Counts every call of the organization.',
  team: 'Counts the calls that are made in the team.',
  member: 'Counts the calls of this person in the organization.',
};

type LevelCardProps = Readonly<{ level: Scope; name: string; isEdited: boolean }>;

function LevelCard({ level, name, isEdited }: LevelCardProps) {
  const { id: orgId } = useOrg();
  const query = useQuery(orgBreakerQuery(orgId, level));
  const isOn = query.data?.resolvedSettings.cbEnabled;
  return (
    <Card
      title={name}
      description={LEVEL_NAMES[level.kind]}
      actions={isOn !== undefined && <Badge tone={isOn ? 'good' : 'neutral'}>{isOn ? 'on' : 'off'}</Badge>}
    >
      <QueryView query={query}>
        {(breaker) => (
          <div className="grid grid-cols-1 gap-5">
            <BreakerView breaker={breaker} />
            {isEdited && <BreakerForm scope={level} breaker={breaker} />}
          </div>
        )}
      </QueryView>
    </Card>
  );
}
