// GET /api/orgs/:orgId/reports/export: a report as CSV for a spreadsheet. Amounts are exact decimals in USD.

import { formatMonth, type Month } from '../../canonical/calendar.ts';
import type { ReportView } from '../../contract/reports.ts';
import { sendBytes } from '../../http/respond.ts';
import type { OrganizationReports, OrganizationSpan } from '../../modules/usage/organization-report.ts';
import { type CsvNumber, formatCsv } from '../../platform/csv.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';
import type { PrincipalHandler } from '../protect.ts';
import { MEMBER_REPORT_READERS, REPORT_READERS, type ReportServices } from './reports.ts';
import { averagePerMillion, marginRate, percentOf } from './reports-figures.ts';
import { begunDays, daysOfMonth, requiredMonth, requiredView } from './reports-query.ts';
import { requireRole } from './require-role.ts';

type Cell = string | CsvNumber;
type Row = readonly Cell[];

/** What a table is made from: the sums, and the days of the month so far. */
type Source = Readonly<{ reports: OrganizationReports; span: OrganizationSpan; days: readonly string[] }>;

/** A negative one begins like a formula, and is still a number to a spreadsheet. */
const figure = (decimal: string): CsvNumber => ({ decimal });
const usd = (amount: NanoUsd): CsvNumber => figure(formatUsd(amount));
const usdOrEmpty = (amount: NanoUsd | null): Cell => (amount === null ? '' : usd(amount));

async function overviewTable({ reports, span, days }: Source): Promise<Row[]> {
  const spend = await reports.byDay(span);
  const spentOn = new Map(spend.days.map(({ day, spentNanoUsd }) => [day, spentNanoUsd]));
  return [
    ['date', 'spend'],
    ...days.map((day) => [day, usd(spentOn.get(day) ?? 0n)]),
    ['total', usd(spend.totalNanoUsd)],
    ['marginRate', figure(marginRate(spend.totalNanoUsd, spend.upstreamNanoUsd))],
  ];
}

/** A row without a model is for the whole team; those of its models follow. */
async function byTeamTable({ reports, span }: Source): Promise<Row[]> {
  const { teams, totalNanoUsd } = await reports.byTeam(span);
  return [
    ['teamId', 'team', 'model', 'spend', 'sharePct', 'monthlyBudget', 'budgetUtilizationPct'],
    ...teams.flatMap((team) => {
      const { teamId, name, spentNanoUsd, monthlyBudgetNanoUsd: budget } = team;
      const who = [teamId ?? '', name ?? (teamId === null ? '(no team)' : '(deleted team)')];
      const share = (amount: NanoUsd): CsvNumber => figure(percentOf(amount, totalNanoUsd) ?? '0');
      const percent = percentOf(spentNanoUsd, budget);
      const used = percent === null ? '' : figure(percent);
      return [
        [...who, '', usd(spentNanoUsd), share(spentNanoUsd), usdOrEmpty(budget), used],
        ...team.models.map(({ modelId, spentNanoUsd: ofModel }) => {
          return [...who, modelId, usd(ofModel), share(ofModel), '', ''];
        }),
      ];
    }),
  ];
}

async function byModelTable({ reports, span }: Source): Promise<Row[]> {
  const models = await reports.byModel(span);
  return [
    ['model', 'spend', 'tokens', 'requests', 'avgPricePer1M'],
    ...models.map(({ modelId, spentNanoUsd, tokens, requests }) => [
      modelId,
      usd(spentNanoUsd),
      figure(String(tokens)),
      figure(String(requests)),
      usdOrEmpty(averagePerMillion(spentNanoUsd, tokens)),
    ]),
  ];
}

async function byMemberTable({ reports, span }: Source): Promise<Row[]> {
  const members = await reports.byMember(span);
  return [
    ['memberId', 'userId', 'name', 'email', 'team', 'spend', 'requests', 'tokens'],
    ...members.map(({ memberId, userId, name, email, team, spentNanoUsd, requests, tokens }) => [
      memberId ?? '',
      userId,
      name ?? '',
      email ?? '',
      team?.name ?? '',
      usd(spentNanoUsd),
      figure(String(requests)),
      figure(String(tokens)),
    ]),
  ];
}

const tables: Readonly<Record<ReportView, (source: Source) => Promise<Row[]>>> = {
  overview: overviewTable,
  'by-team': byTeamTable,
  'by-model': byModelTable,
  'by-member': byMemberTable,
};

const fileName = (view: ReportView, month: Month): string => `tollgate-${view}-${formatMonth(month)}.csv`;

export const exportReport =
  (services: ReportServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireRole(services, principal, exchange.params.orgId ?? '', REPORT_READERS);
    const query = new URLSearchParams(exchange.queryText);
    const view = requiredView(query);
    if (view === 'by-member') await requireRole(services, principal, orgId, MEMBER_REPORT_READERS);
    const month = requiredMonth(query);
    const span = { orgId, ...daysOfMonth(month) };
    const days = begunDays(month, services.clock.nowMs());
    const rows = await tables[view]({ reports: services.organizationReports, span, days });
    const content = { type: 'text/csv; charset=utf-8', body: formatCsv(rows) };
    const headers = ['Content-Disposition', `attachment; filename="${fileName(view, month)}"`];
    sendBytes(exchange, 200, content, [...headers, 'X-Content-Type-Options', 'nosniff']);
  };
