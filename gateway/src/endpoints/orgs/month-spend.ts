// What teams and members have spent this month, for the lists that show it beside their budgets.

import type { OrganizationReports } from '../../modules/usage/organization-report.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import { daysOfMonth, monthOrCurrent } from './reports-query.ts';

export type MonthSpendServices = Readonly<{
  organizationReports: Pick<OrganizationReports, 'byTeam' | 'byMember'>;
  clock: Clock;
}>;

/** In USD by id; an id without spending is missing. */
type Spends = ReadonlyMap<string, number>;

export async function monthSpendByTeam(services: MonthSpendServices, orgId: string): Promise<Spends> {
  const { teams } = await services.organizationReports.byTeam(spanOf(services, orgId));
  return spendsOf(teams, ({ teamId }) => teamId);
}

export async function monthSpendByMember(services: MonthSpendServices, orgId: string): Promise<Spends> {
  const members = await services.organizationReports.byMember(spanOf(services, orgId));
  return spendsOf(members, ({ memberId }) => memberId);
}

const spanOf = ({ clock }: MonthSpendServices, orgId: string) => ({
  orgId,
  ...daysOfMonth(monthOrCurrent(new URLSearchParams(), clock.nowMs())),
});

function spendsOf<Row extends Readonly<{ spentNanoUsd: NanoUsd }>>(
  rows: readonly Row[],
  idOf: (row: Row) => string | null,
): Spends {
  const spends = new Map<string, number>();
  for (const row of rows) {
    const id = idOf(row);
    if (id !== null) spends.set(id, usdNumber(row.spentNanoUsd));
  }
  return spends;
}
