// One organization: its balance, what it used, its people and keys, how it pays, and its statements.

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { changeOrg, creditOrg, type OrgState, orgQuery, orgsKey } from '../../../api/operator/orgs.ts';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Stat, StatRow } from '../../../ui/stat.tsx';
import { AccountStatement } from '../account-statement.tsx';
import { AdjustButton } from '../adjust-dialog.tsx';
import { CreditButton } from '../credit-dialog.tsx';
import { Allowed } from '../role.tsx';
import { SuspendButton, SuspensionBadge } from '../suspend-button.tsx';
import { ExposureCard } from '../system/exposure-card.tsx';
import { UsageCard } from '../usage-card.tsx';
import { MembersCard, OrgKeysCard } from './people-cards.tsx';
import { PlanCard } from './plan-card.tsx';
import { StatementCard } from './statement-card.tsx';

export function OperatorOrg() {
  const { orgId } = useParams({ from: '/operator/orgs/$orgId' });
  const query = useQuery(orgQuery(orgId));
  return <QueryView query={query}>{(org) => <OrgView key={org.id} org={org} />}</QueryView>;
}

function OrgView({ org }: Readonly<{ org: OrgState }>) {
  return (
    <Page
      title={org.name}
      description={<code className="text-sm">{org.id}</code>}
      actions={
        <Allowed least="support">
          <Allowed least="owner">
            <SuspendButton
              name={org.name}
              isSuspended={org.suspended}
              touches={orgsKey}
              run={(suspended) => changeOrg(org.id, { suspended })}
            />
          </Allowed>
          <AdjustButton kind="orgs" id={org.id} name={org.name} touches={orgsKey} />
          <CreditButton name={org.name} touches={orgsKey} run={(body, key) => creditOrg(org.id, body, key)} />
        </Allowed>
      }
    >
      <StatRow>
        <Stat label={org.balanceUsd < 0 ? 'Owed' : 'Balance'} value={formatUsd(Math.abs(org.balanceUsd))} />
        <Stat
          label="Plan"
          value={org.billingPlan}
          note={org.creditLineUsd === null ? 'Pays in advance' : `Credit line ${formatUsd(org.creditLineUsd)}`}
        />
        <Stat label="Seats" value={formatCount(org.seats)} />
        <Stat label="State" value={<SuspensionBadge isSuspended={org.suspended} />} />
      </StatRow>
      <UsageCard kind="orgs" id={org.id} calls={{ org: org.id }} />
      <MembersCard orgId={org.id} />
      <OrgKeysCard orgId={org.id} />
      <ExposureCard title="Restrictions" isAbout={({ accountId }) => accountId === org.id} />
      <Allowed least="owner">
        <PlanCard org={org} />
      </Allowed>
      <StatementCard org={org} />
      <AccountStatement kind="orgs" id={org.id} />
    </Page>
  );
}
