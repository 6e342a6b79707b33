// Spend, tokens and requests over the chosen days, as bars and as a table.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import type { UsageAnswer } from '../../../../gateway/src/contract/usage.ts';
import { usageQuery } from '../../api/account.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCompact, formatCount, formatUsd } from '../../ui/format.ts';
import { LazyTimeChart } from '../../ui/lazy-time-chart.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { PeriodChoice } from './period-choice.tsx';
import { timeSeries } from './time-series.ts';
import {
  DIMENSIONS,
  type Dimension,
  daysByModel,
  daysOfSeries,
  entriesOf,
  formatMetric,
  METRICS,
  type Metric,
  periodOf,
  spanOf,
} from './usage-choice.ts';
import { UsageTable } from './usage-table.tsx';

export function OverTime() {
  const { orgId, period: asked, from, to, by } = useSearch({ from: '/member/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const period = periodOf(asked);
  const dimension = DIMENSIONS.find(([id]) => id === by)?.[0] ?? 'model';
  const days = period === 'custom' ? { from, to } : {};
  const series = dimension === 'model' ? {} : { series: dimension };
  const isReady = period !== 'custom' || (from !== undefined && to !== undefined);
  const query = useQuery({ ...usageQuery({ orgId, period, ...days, ...series }), enabled: isReady });
  return (
    <div className="grid gap-5">
      <PeriodChoice
        period={period}
        from={from}
        to={to}
        onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true })}
      />
      <QueryView query={query}>
        {(usage) => (
          <>
            <Totals usage={usage} />
            <Breakdown
              usage={usage}
              to={to}
              dimension={dimension}
              onChange={(chosen) => void navigate({ search: (before) => ({ ...before, by: chosen }), replace: true })}
            />
          </>
        )}
      </QueryView>
    </div>
  );
}

function Totals({ usage: { totals, credits } }: Readonly<{ usage: UsageAnswer }>) {
  return (
    <StatRow>
      <Stat label="Spend" value={formatUsd(totals.spend)} />
      <Stat label="Requests" value={formatCount(totals.requests)} />
      <Stat
        label="Tokens"
        value={formatCompact(totals.tokens)}
        note={`${formatCompact(totals.promptTokens)} in, ${formatCompact(totals.completionTokens)} out`}
      />
      <Stat label="Balance now" value={formatUsd(credits)} />
    </StatRow>
  );
}

type BreakdownProps = Readonly<{
  usage: UsageAnswer;
  to: string | undefined;
  dimension: Dimension;
  onChange: (dimension: Dimension) => void;
}>;

function Breakdown({ usage, to, dimension, onChange }: BreakdownProps) {
  const [metric, setMetric] = useState<Metric>('spend');
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
        <Segments label="Group" options={DIMENSIONS} value={dimension} onChange={onChange} />
        <Segments label="Figure" options={METRICS} value={metric} onChange={setMetric} />
      </div>
      <div className="px-5 pb-5">
        <LazyTimeChart
          title={`${metric} over time, by ${dimension}`}
          lines={lines}
          points={points}
          format={(value) => formatMetric(metric, value)}
        />
      </div>
      <UsageTable entries={entriesOf(usage, dimension)} dimension={dimension} metric={metric} />
    </Card>
  );
}
