// GET /api/orgs/:orgId/reports/overview, /by-team, /by-model and /by-member: what an organization spent in a month.
// Only administrators see what each member spent.

import type { Month } from '../../canonical/calendar.ts';
import type { Principal } from '../../canonical/caller.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import type { ByMemberAnswer, ByModelAnswer, ByTeamAnswer, OverviewAnswer } from '../../contract/reports.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Savings } from '../../modules/answers/savings.ts';
import type { OrganizationReports, SpendByDay, SpendByTeam } from '../../modules/usage/organization-report.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import type { PrincipalHandler } from '../protect.ts';
import { averagePerMillion, marginRate, percentOf } from './reports-figures.ts';
import { begunDays, daysOfMonth, monthOrCurrent, requiredMonth } from './reports-query.ts';
import { type RoleServices, requireRole } from './require-role.ts';

export type ReportServices = RoleServices &
  Readonly<{ organizationReports: OrganizationReports; savings: Pick<Savings, 'read'>; clock: Clock }>;

export const REPORT_READERS: readonly OrgRole[] = ['org_admin', 'billing_viewer'];
export const MEMBER_REPORT_READERS: readonly OrgRole[] = ['org_admin'];

export const readOverview =
  (services: ReportServices): PrincipalHandler =>
  async (exchange, principal) => {
    const orgId = await permittedOrg(services, { exchange, principal, roles: REPORT_READERS });
    const nowMs = services.clock.nowMs();
    const month = monthOrCurrent(new URLSearchParams(exchange.queryText), nowMs);
    const days = daysOfMonth(month);
    const [spend, saved] = await Promise.all([
      services.organizationReports.byDay({ orgId, ...days }),
      services.savings.read({ accountId: orgId, userId: null, ...days }),
    ]);
    const savedNanoUsd = saved.reduce((total, row) => total + row.savedNanoUsd, 0n);
    sendJson(exchange, 200, overviewAnswer(month, { ...spend, savedNanoUsd }, begunDays(month, nowMs)));
  };

export const readByTeam =
  (services: ReportServices): PrincipalHandler =>
  async (exchange, principal) => {
    const orgId = await permittedOrg(services, { exchange, principal, roles: REPORT_READERS });
    const month = monthOrCurrent(new URLSearchParams(exchange.queryText), services.clock.nowMs());
    const spend = await services.organizationReports.byTeam({ orgId, ...daysOfMonth(month) });
    sendJson(exchange, 200, byTeamAnswer(month, spend));
  };

export const readByModel =
  (services: ReportServices): PrincipalHandler =>
  async (exchange, principal) => {
    const orgId = await permittedOrg(services, { exchange, principal, roles: REPORT_READERS });
    const month = requiredMonth(new URLSearchParams(exchange.queryText));
    const models = await services.organizationReports.byModel({ orgId, ...daysOfMonth(month) });
    const answer: ByModelAnswer = {
      ...month,
      models: models.map(({ modelId, spentNanoUsd, tokens, requests }) => {
        const average = averagePerMillion(spentNanoUsd, tokens);
        const avgPricePer1M = average === null ? null : usdNumber(average);
        return { model: modelId, spend: usdNumber(spentNanoUsd), tokens, requests, avgPricePer1M };
      }),
    };
    sendJson(exchange, 200, answer);
  };

export const readByMember =
  (services: ReportServices): PrincipalHandler =>
  async (exchange, principal) => {
    const orgId = await permittedOrg(services, { exchange, principal, roles: MEMBER_REPORT_READERS });
    const month = requiredMonth(new URLSearchParams(exchange.queryText));
    const members = await services.organizationReports.byMember({ orgId, ...daysOfMonth(month) });
    const answer: ByMemberAnswer = {
      ...month,
      members: members.map(({ spentNanoUsd, ...member }) => ({ ...member, spend: usdNumber(spentNanoUsd) })),
    };
    sendJson(exchange, 200, answer);
  };

type Wish = Readonly<{ exchange: Exchange; principal: Principal; roles: readonly OrgRole[] }>;

async function permittedOrg(services: RoleServices, { exchange, principal, roles }: Wish): Promise<string> {
  const member = await requireRole(services, principal, exchange.params.orgId ?? '', roles);
  return member.orgId;
}

type MonthSpend = SpendByDay & Readonly<{ savedNanoUsd: NanoUsd }>;

function overviewAnswer(month: Month, spend: MonthSpend, days: readonly string[]): OverviewAnswer {
  const spentOn = new Map(spend.days.map(({ day, spentNanoUsd }) => [day, spentNanoUsd]));
  return {
    ...month,
    totalSpend: usdNumber(spend.totalNanoUsd),
    savedByCache: usdNumber(spend.savedNanoUsd),
    marginRate: Number(marginRate(spend.totalNanoUsd, spend.upstreamNanoUsd)),
    dailyTrend: days.map((date) => ({ date, spend: usdNumber(spentOn.get(date) ?? 0n) })),
  };
}

function byTeamAnswer(month: Month, { teams, totalNanoUsd }: SpendByTeam): ByTeamAnswer {
  const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));
  return {
    ...month,
    teams: teams.map(({ teamId, name, spentNanoUsd, models, monthlyBudgetNanoUsd }) => ({
      teamId,
      name,
      spend: usdNumber(spentNanoUsd),
      sharePct: numberOrNull(percentOf(spentNanoUsd, totalNanoUsd)) ?? 0,
      models: models.map((model) => ({ model: model.modelId, spend: usdNumber(model.spentNanoUsd) })),
      monthlyBudget: monthlyBudgetNanoUsd === null ? null : usdNumber(monthlyBudgetNanoUsd),
      budgetUtilizationPct: numberOrNull(percentOf(spentNanoUsd, monthlyBudgetNanoUsd)),
    })),
  };
}
