// The month as a whole, day by day.

import { useQuery } from '@tanstack/react-query';
import { type Month, overviewQuery } from '../../../api/orgs/reports.ts';
import { Card } from '../../../ui/card.tsx';
import { formatDate, formatUsd } from '../../../ui/format.ts';
import { LazyTimeChart } from '../../../ui/lazy-time-chart.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Stat } from '../../../ui/stat.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { trendOf } from './months.ts';
import { NothingSpent } from './nothing-spent.tsx';

const COLUMNS = [{ label: 'Day' }, { label: 'Spend', isNumber: true }];

export function OverviewReport({ month }: Readonly<{ month: Month }>) {
  const { id: orgId } = useOrg();
  const query = useQuery(overviewQuery(orgId, month));
  return (
    <QueryView query={query}>
      {(report) => {
        const busiest = report.dailyTrend.toSorted((left, right) => right.spend - left.spend)[0];
        return (
          <div className="grid grid-cols-1 gap-5">
            <div className="grid gap-3 sm:grid-cols-3">
              <Stat label="Spend" value={formatUsd(report.totalSpend)} />
              <Stat label="Saved by the cache" value={formatUsd(report.savedByCache)} />
              <Stat
                label="Most in a day"
                value={formatUsd(busiest?.spend ?? 0)}
                note={busiest === undefined || busiest.spend === 0 ? undefined : formatDate(busiest.date)}
              />
            </div>
            {report.totalSpend === 0 ? (
              <NothingSpent />
            ) : (
              <Card isFlush>
                <div className="p-5">
                  <LazyTimeChart title="Spend by day" unit="usd" {...trendOf(report)} />
                </div>
                <Table label="Spend by day" columns={COLUMNS}>
                  {report.dailyTrend
                    .filter(({ spend }) => spend !== 0)
                    .map(({ date, spend }) => (
                      <tr key={date}>
                        <Cell>{formatDate(date)}</Cell>
                        <Cell isNumber>{formatUsd(spend)}</Cell>
                      </tr>
                    ))}
                </Table>
              </Card>
            )}
          </div>
        );
      }}
    </QueryView>
  );
}
