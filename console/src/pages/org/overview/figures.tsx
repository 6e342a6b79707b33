// The four figures of an organization. What a monthly plan owes is shown as such, and never as a negative balance.

import type { Organization } from '../../../api/orgs/organizations.ts';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Stat, StatRow } from '../../../ui/stat.tsx';

type FiguresProps = Readonly<{ organization: Organization; monthSpend: number | null }>;

export function Figures({ organization, monthSpend }: FiguresProps) {
  const { billingPlan, creditLine, credits, seats, memberCount, teamCount } = organization;
  return (
    <StatRow>
      <Stat
        label="Plan"
        value={billingPlan === 'prepaid' ? 'Prepaid' : 'Monthly bill'}
        note={
          creditLine === null ? 'Calls are paid from the balance.' : `With a credit line of ${formatUsd(creditLine)}.`
        }
      />
      {credits < 0 ? (
        <Stat
          label="Owed"
          value={formatUsd(-credits)}
          note={
            creditLine === null ? undefined : `${formatUsd(Math.max(0, creditLine + credits))} of the line is left.`
          }
        />
      ) : (
        <Stat
          label="Balance"
          value={formatUsd(credits)}
          note={credits === 0 ? 'Calls need credit first.' : undefined}
        />
      )}
      <Stat
        label="Spent this month"
        value={monthSpend === null ? '…' : formatUsd(monthSpend)}
        note="Since the first, UTC."
      />
      <Stat
        label="Seats"
        value={`${formatCount(memberCount)} of ${formatCount(seats)}`}
        note={teamCount === 1 ? '1 team' : `${formatCount(teamCount)} teams`}
      />
    </StatRow>
  );
}
