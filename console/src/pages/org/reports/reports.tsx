// What an organization spent in a month: as a whole, by team, by model and by member. What each member spent is for
// administrators alone.

import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  byMemberQuery,
  byModelQuery,
  byTeamQuery,
  type Month,
  overviewQuery,
  type ReportView,
  readReportFile,
} from '../../../api/orgs/reports.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Tabs } from '../../../ui/tabs.tsx';
import { useOrg } from '../current-org.ts';
import { MemberReport } from './member-report.tsx';
import { ModelReport } from './model-report.tsx';
import { MonthChoice } from './month-choice.tsx';
import { monthAt, monthText, parseMonth } from './months.ts';
import { OverviewReport } from './overview-report.tsx';
import { TeamReport } from './team-report.tsx';

const VIEWS: readonly ReportView[] = ['overview', 'by-team', 'by-model', 'by-member'];

export function ahead({ queryClient, params: { orgId }, search, role }: ComingToOrg): void {
  const month = parseMonth(search.month) ?? monthAt(Date.now());
  if (search.view === 'by-team') void queryClient.prefetchQuery(byTeamQuery(orgId, month));
  else if (search.view === 'by-model') void queryClient.prefetchQuery(byModelQuery(orgId, month));
  else if (search.view !== 'by-member') void queryClient.prefetchQuery(overviewQuery(orgId, month));
  else if (role === 'org_admin') void queryClient.prefetchQuery(byMemberQuery(orgId, month));
}

export function Reports() {
  const { role } = useOrg();
  const search = useSearch({ from: '/member/org/$orgId/reports' });
  const navigate = useNavigate({ from: '/org/$orgId/reports' });
  const month = parseMonth(search.month) ?? monthAt(Date.now());
  const view = VIEWS.find((known) => known === search.view) ?? 'overview';
  const tabs = [
    { id: 'overview', label: 'Overview', content: <OverviewReport month={month} /> },
    { id: 'by-team', label: 'By team', content: <TeamReport month={month} /> },
    { id: 'by-model', label: 'By model', content: <ModelReport month={month} /> },
    ...(role === 'org_admin' ? [{ id: 'by-member', label: 'By member', content: <MemberReport month={month} /> }] : []),
  ];
  return (
    <Page
      title="Reports"
      description="What was spent in a month (UTC). The four views add up to the same total."
      actions={
        <MonthChoice
          month={month}
          onChange={(chosen) =>
            void navigate({ search: (before) => ({ ...before, month: monthText(chosen) }), replace: true })
          }
        />
      }
    >
      <Tabs
        label="Views"
        value={view}
        onChange={(chosen) => void navigate({ search: (before) => ({ ...before, view: chosen }), replace: true })}
        tabs={tabs}
      />
      <DownloadButton view={view} month={month} />
    </Page>
  );
}

function DownloadButton({ view, month }: Readonly<{ view: ReportView; month: Month }>) {
  const { id: orgId } = useOrg();
  const download = useMutation({
    mutationFn: () => readReportFile(orgId, view, month),
    onSuccess: (file) => saveFile(`tollgate-${view}-${monthText(month)}.csv`, file, 'text/csv'),
  });
  return (
    <div className="grid gap-3">
      <ErrorNotice error={download.error} />
      <div>
        <Button isBusy={download.isPending} onClick={() => download.mutate()}>
          Save as CSV
        </Button>
      </div>
    </div>
  );
}
