// What an organization spent in a month, in four views that add up to the same total.

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  ByMemberAnswer,
  ByModelAnswer,
  ByTeamAnswer,
  OverviewAnswer,
  ReportView,
} from '../../../../gateway/src/contract/reports.ts';
import { queryText, request, send } from '../request.ts';
import { orgApiPath, orgKeyOf } from './organizations.ts';

export type { ByMemberAnswer, ByModelAnswer, ByTeamAnswer, OverviewAnswer, ReportView };

export type Month = Readonly<{ year: number; month: number }>;

const report = <Answer>(orgId: string, view: ReportView, { year, month }: Month) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'report', view, year, month],
    placeholderData: keepPreviousData,
    queryFn: () => request<Answer>('GET', orgApiPath(orgId, `/reports/${view}${queryText({ year, month })}`)),
  });

export const overviewQuery = (orgId: string, month: Month) => report<OverviewAnswer>(orgId, 'overview', month);
export const byTeamQuery = (orgId: string, month: Month) => report<ByTeamAnswer>(orgId, 'by-team', month);
export const byModelQuery = (orgId: string, month: Month) => report<ByModelAnswer>(orgId, 'by-model', month);
export const byMemberQuery = (orgId: string, month: Month) => report<ByMemberAnswer>(orgId, 'by-member', month);

/** The same as a file for a spreadsheet. */
export async function readReportFile(orgId: string, view: ReportView, { year, month }: Month): Promise<Blob> {
  const response = await send('GET', orgApiPath(orgId, `/reports/export${queryText({ view, year, month })}`), {
    accept: 'text/csv',
  });
  return response.blob();
}
