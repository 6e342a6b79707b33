// A chart over time with its legend, at a fixed height: its code is loaded later than the page, and nothing may jump
// then.

import { lazy, Suspense } from 'react';
import { orLater } from './late-part.tsx';
import { Spinner } from './spinner.tsx';
import type { TimeChartProps } from './time-chart.tsx';

const TimeChart = lazy(async () => ({
  default: (await orLater(() => import('./time-chart.tsx'), 'TimeChart')).TimeChart,
}));

export function LazyTimeChart(props: TimeChartProps) {
  return (
    <div className="grid gap-3">
      <div className="h-64">
        <Suspense
          fallback={
            <div className="grid h-full place-items-center text-quiet">
              <Spinner />
            </div>
          }
        >
          <TimeChart {...props} />
        </Suspense>
      </div>
      {props.lines.length > 1 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {props.lines.map(({ id, label, color }) => (
            <li key={id} className="flex min-w-0 items-center gap-1.5">
              <span className="size-2.5 shrink-0 rounded-sm" style={{ backgroundColor: color }} />
              <span className="truncate">{label}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
