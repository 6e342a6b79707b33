// Horizontal bars, the longest first, each made of coloured parts. The figures are beside them, so the bars are hidden
// from screen readers.

import { formatUsd } from '../../../ui/format.ts';
import { barsOf, type SpendRow } from './bars.ts';

type SpendBarsProps = Readonly<{ rows: readonly SpendRow[] }>;

export function SpendBars({ rows }: SpendBarsProps) {
  const { bars, legend } = barsOf(rows);
  return (
    <div className="grid gap-4 p-5">
      <ul className="grid gap-2.5">
        {bars.map(({ id, label, total, width, parts }) => (
          <li key={id} className="grid gap-1 sm:grid-cols-[16rem_1fr_6rem] sm:items-center sm:gap-3">
            <span className="truncate text-sm" title={label}>
              {label}
            </span>
            <span aria-hidden="true" className="h-4 min-w-0 overflow-hidden rounded bg-sunken">
              <span className="flex h-full" style={{ width: `${width * 100}%` }}>
                {parts.map((part) => (
                  <span
                    key={part.id}
                    title={`${part.label}: ${formatUsd(part.value)}`}
                    className="h-full"
                    style={{ width: `${part.share * 100}%`, backgroundColor: part.color }}
                  />
                ))}
              </span>
            </span>
            <span className="text-sm tabular-nums sm:text-right">{formatUsd(total)}</span>
          </li>
        ))}
      </ul>
      {legend.length > 1 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {legend.map(({ id, label, color }) => (
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
