// Spend, tokens and requests over the chosen days, as bars and as a table.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import type { UsageAnswer } from '../../../../gateway/src/contract/usage.ts';
import { usageQuery } from '../../api/account.ts';
import { readUsageCsv } from '../../api/insights.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCompact, formatCount, formatUsd } from '../../ui/format.ts';
import { LazyTimeChart } from '../../ui/lazy-time-chart.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Segments } from '../../ui/segments.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { useSaving } from '../../ui/use-saving.ts';
import { PeriodChoice } from './period-choice.tsx';
import { timeSeries } from './time-series.ts';
import {
  changeText,
  comparedTo,
  DIMENSIONS,
  type Dimension,
  daysByModel,
  daysOfSeries,
  dimensionOf,
  entriesOf,
  isWhole,
  METRICS,
  type Metric,
  metricOf,
  spanOf,
  wishOf,
} from './usage-choice.ts';
import { UsageFilters } from './usage-filters.tsx';
import { UsageTable } from './usage-table.tsx';

export function OverTime() {
  const search = useSearch({ from: '/member/usage' });
  const { orgId, from, to, metric, model, key, app } = search;
  const navigate = useNavigate({ from: '/usage' });
  const change = (part: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const wish = wishOf(search);
  const query = useQuery({ ...usageQuery(comparedTo(wish)), enabled: isWhole(wish) });
  const { save, isSaving, error } = useSaving(async () => {
    saveFile('tollgate-usage.csv', await readUsageCsv(wish), 'text/csv');
  });
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <PeriodChoice period={wish.period} from={from} to={to} onChange={change} />
        <Button isBusy={isSaving} onClick={save}>
          Save as CSV
        </Button>
      </div>
      <ErrorNotice error={error} />
      <UsageFilters orgId={orgId} chosen={{ model, key, app }} onChange={change} />
      {query.data === undefined && !isWhole(wish) && <Notice>Choose the first and the last day.</Notice>}
      {(query.data !== undefined || isWhole(wish)) && (
        <QueryView query={query}>
          {(usage) => (
            <>
              <Totals usage={usage} />
              <Breakdown
                usage={usage}
                to={to}
                dimension={dimensionOf(search.by)}
                metric={metricOf(metric)}
                onChange={change}
              />
            </>
          )}
        </QueryView>
      )}
    </div>
  );
}

function Totals({ usage: { totals, credits, previous } }: Readonly<{ usage: UsageAnswer }>) {
  const noteOf = (name: Metric): string | undefined =>
    previous === undefined ? undefined : changeText(totals[name], previous.totals[name]);
  return (
    <StatRow>
      <Stat label="Spend" value={formatUsd(totals.spend)} note={noteOf('spend')} />
      <Stat label="Requests" value={formatCount(totals.requests)} note={noteOf('requests')} />
      <Stat label="Tokens" value={formatCompact(totals.tokens)} note={noteOf('tokens')} />
      <Stat label="Balance now" value={formatUsd(credits)} />
    </StatRow>
  );
}

type BreakdownProps = Readonly<{
  usage: UsageAnswer;
  to: string | undefined;
  dimension: Dimension;
  metric: Metric;
  onChange: (part: Readonly<{ by?: Dimension; metric?: Metric }>) => void;
}>;

function Breakdown({ usage, to, dimension, metric, onChange }: BreakdownProps) {
  if (usage.totals.requests === 0) {
    return (
      <Card>
        <EmptyState icon={<ChartColumn size={22} />} title="Nothing in these days">
          Calls appear here as soon as they are answered. Choose other days, or make a call.
        </EmptyState>
      </Card>
    );
  }
  const all = daysByModel(usage, metric);
  const parts = dimension === 'model' ? all : daysOfSeries(usage, metric);
  const { lines, points } = timeSeries(spanOf(usage, to, Date.now()), all, parts);
  return (
    <Card isFlush>
      <div className="flex flex-wrap justify-between gap-3 p-5">
        <Segments label="Group" options={DIMENSIONS} value={dimension} onChange={(by) => onChange({ by })} />
        <Segments label="Figure" options={METRICS} value={metric} onChange={(chosen) => onChange({ metric: chosen })} />
      </div>
      <div className="px-5 pb-5">
        <LazyTimeChart
          title={`${metric} over time, by ${dimension}`}
          lines={lines}
          points={points}
          unit={metric === 'spend' ? 'usd' : 'count'}
        />
      </div>
      <UsageTable entries={entriesOf(usage, dimension)} dimension={dimension} metric={metric} />
    </Card>
  );
}
