// The overview for a member who may not read the organization's books: their own place in it.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { teamsQuery } from '../../../api/orgs/teams.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { formatDate } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { BudgetMeter } from '../budget-meter.tsx';
import { useOrg } from '../current-org.ts';
import { ROLE_HINTS, ROLE_NAMES } from '../role-names.ts';

export function OwnPlace() {
  const { id, role, joinedAt } = useOrg();
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <Card title="Your place" description={ROLE_HINTS[role]}>
        <Facts
          facts={[
            ['Role', ROLE_NAMES[role]],
            ['Member since', formatDate(joinedAt)],
          ]}
        />
        <p className="mt-4">
          <Link to="/org/$orgId/keys" params={{ orgId: id }} className={buttonClass()}>
            {role === 'member' ? 'The keys that you hold' : 'Keys of your team'}
          </Link>
        </p>
      </Card>
      {role === 'team_admin' && <OwnTeam orgId={id} />}
    </div>
  );
}

function OwnTeam({ orgId }: Readonly<{ orgId: string }>) {
  const query = useQuery(teamsQuery(orgId));
  return (
    <QueryView query={query}>
      {(teams) => (
        <>
          {teams.map((team) => (
            <Card key={team.id} title={team.name} description={team.description ?? undefined}>
              <BudgetMeter name={team.name} spent={team.monthSpend} budget={team.monthlyBudget} />
              <p className="mt-4">
                <Link to="/org/$orgId/members" params={{ orgId }} className={buttonClass()}>
                  {team.memberCount === 1 ? '1 member' : `${team.memberCount} members`}
                </Link>
              </p>
            </Card>
          ))}
        </>
      )}
    </QueryView>
  );
}
