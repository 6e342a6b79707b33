// An organization's balance, its spending, and how much of its budgets is used. A member who may not read that is told
// what they may do instead.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organizationQuery } from '../../../api/orgs/organizations.ts';
import { byTeamQuery, type Month, overviewQuery } from '../../../api/orgs/reports.ts';
import { teamsQuery } from '../../../api/orgs/teams.ts';
import type { OrganizationRole } from '../../../api/session.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { LazyTimeChart } from '../../../ui/lazy-time-chart.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { BudgetMeter } from '../budget-meter.tsx';
import { useOrg } from '../current-org.ts';
import { monthAt, trendOf } from '../reports/months.ts';
import { ROLE_NAMES } from '../role-names.ts';
import { Figures } from './figures.tsx';
import { OwnPlace } from './own-place.tsx';
import { SettingsCard } from './settings-card.tsx';
import { TranscriptsCard } from './transcripts-card.tsx';

/** Whether the role is shown the organization as a whole. */
const isReader = (role: OrganizationRole): boolean => role === 'org_admin' || role === 'billing_viewer';

export function ahead({ queryClient, params: { orgId }, role }: ComingToOrg): void {
  if (isReader(role)) {
    const month = monthAt(Date.now());
    void queryClient.prefetchQuery(organizationQuery(orgId));
    void queryClient.prefetchQuery(overviewQuery(orgId, month));
    void queryClient.prefetchQuery(byTeamQuery(orgId, month));
  } else if (role === 'team_admin') void queryClient.prefetchQuery(teamsQuery(orgId));
}

export function Overview() {
  const org = useOrg();
  return (
    <Page
      title={org.name}
      description={`You are: ${ROLE_NAMES[org.role]}.`}
      actions={
        isReader(org.role) && (
          <Link to="/credits" search={{ orgId: org.id }} className={buttonClass(org.credits > 0 ? 'plain' : 'primary')}>
            {org.role === 'org_admin' ? 'Get credit' : 'Credits'}
          </Link>
        )
      }
    >
      {isReader(org.role) ? <WholePicture orgId={org.id} /> : <OwnPlace />}
    </Page>
  );
}

function WholePicture({ orgId }: Readonly<{ orgId: string }>) {
  const { role } = useOrg();
  const month = monthAt(Date.now());
  const detail = useQuery(organizationQuery(orgId));
  const spend = useQuery(overviewQuery(orgId, month));
  return (
    <QueryView query={detail}>
      {(organization) => (
        <>
          <Figures organization={organization} monthSpend={spend.data?.totalSpend ?? null} />
          <div className="grid gap-5 lg:grid-cols-[3fr_2fr]">
            <Card title="This month, day by day" description="In USD. Days are in UTC.">
              <QueryView query={spend}>
                {(report) => <LazyTimeChart title="Spend by day of this month" unit="usd" {...trendOf(report)} />}
              </QueryView>
            </Card>
            <BudgetCard orgId={orgId} month={month} />
          </div>
          {role === 'org_admin' && <SettingsCard organization={organization} />}
          {role === 'org_admin' && <TranscriptsCard organization={organization} />}
        </>
      )}
    </QueryView>
  );
}

function BudgetCard({ orgId, month }: Readonly<{ orgId: string; month: Month }>) {
  const { role } = useOrg();
  const query = useQuery(byTeamQuery(orgId, month));
  return (
    <Card title="Budgets of the teams" description="What each has spent in this month.">
      <QueryView query={query}>
        {({ teams }) =>
          teams.length === 0 ? (
            <p className="text-sm text-quiet">
              There are no teams yet.{' '}
              {role === 'org_admin' && (
                <Link to="/org/$orgId/teams" params={{ orgId }} className={textLinkClass}>
                  Create one
                </Link>
              )}
            </p>
          ) : (
            <ul className="grid gap-3">
              {teams.map(({ teamId, name, spend, monthlyBudget }) => {
                const shown = name ?? (teamId === null ? 'Without a team' : 'A deleted team');
                return (
                  <li key={teamId ?? ''} className="grid gap-1">
                    <span className="text-sm font-medium break-words">{shown}</span>
                    <BudgetMeter name={shown} spent={spend} budget={monthlyBudget} />
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryView>
    </Card>
  );
}
