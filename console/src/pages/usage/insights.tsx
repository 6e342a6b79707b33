// At which hours a person calls, and what they call most. For an organization's account it is the person's own share.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InsightsAnswer, InsightsPeriod } from '../../../../gateway/src/contract/usage.ts';
import { insightsQuery } from '../../api/insights.ts';
import { Card } from '../../ui/card.tsx';
import { Moment } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Segments } from '../../ui/segments.tsx';
import { heatOf, zoneShiftMs } from './heat.ts';
import { HeatMap } from './heat-map.tsx';
import { formatMetric, METRICS, type Metric } from './usage-choice.ts';

const PERIODS: readonly (readonly [InsightsPeriod, string])[] = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['ytd', 'This year'],
  ['all', 'All time'],
];

/** What is shown before anything is chosen. */
export const FIRST_INSIGHTS: Readonly<{ period: InsightsPeriod; metric: Metric }> = { period: '7d', metric: 'spend' };

export function Insights({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const [period, setPeriod] = useState(FIRST_INSIGHTS.period);
  const [metric, setMetric] = useState(FIRST_INSIGHTS.metric);
  const query = useQuery(insightsQuery({ orgId, period, metric }));
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap justify-between gap-3">
        <Segments label="Period" options={PERIODS} value={period} onChange={setPeriod} />
        <Segments label="Figure" options={METRICS} value={metric} onChange={setMetric} />
      </div>
      {orgId !== undefined && (
        <p className="text-sm text-quiet">These are the calls that you made yourself on the organization’s account.</p>
      )}
      <QueryView query={query}>
        {(insights) => (
          <>
            <Card
              title="Hours"
              description={
                <>
                  Each square is an hour of the day, in your time zone. Read <Moment at={insights.cachedAt} />.
                </>
              }
            >
              <HeatMap heat={heatOf(insights, Date.now(), zoneShiftMs)} metric={insights.metric} />
            </Card>
            <Tops insights={insights} metric={metric} />
          </>
        )}
      </QueryView>
    </div>
  );
}

type Top = Readonly<{ id: string; label: string; spend: number; tokens: number; requests: number }>;

function Tops({ insights, metric }: Readonly<{ insights: InsightsAnswer; metric: Metric }>) {
  const lists: readonly (readonly [string, readonly Top[]])[] = [
    ['Top models', insights.topModels.map((entry) => ({ ...entry, id: entry.model, label: entry.model }))],
    ['Top keys', insights.topKeys.map((entry) => ({ ...entry, id: entry.keyId, label: entry.keyName ?? entry.keyId }))],
    [
      'Top apps',
      insights.topApps.map((entry) => ({ ...entry, id: entry.appName ?? '', label: entry.appName ?? 'No name given' })),
    ],
  ];
  return (
    <div className="grid gap-5 md:grid-cols-3">
      {lists.map(([title, entries]) => (
        <Card key={title} title={title}>
          {entries.length === 0 && <p className="text-sm text-quiet">Nothing yet.</p>}
          <ol className="grid grid-cols-1 gap-2 text-sm">
            {entries.map((entry) => (
              <li key={entry.id} className="flex justify-between gap-4">
                <span className="min-w-0 truncate" title={entry.label}>
                  {entry.label}
                </span>
                <span className="shrink-0 font-medium tabular-nums">{formatMetric(metric, entry[metric])}</span>
              </li>
            ))}
          </ol>
        </Card>
      ))}
    </div>
  );
}
