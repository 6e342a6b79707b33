// A day for each row, an hour for each column, darker where more happened. It is a table, so that its figures can be
// read without colours.

import { classNames } from '../../ui/class-names.ts';
import type { Heat } from './heat.ts';
import { formatMetric, type Metric } from './usage-choice.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** The smallest value still differs from nothing. */
const LEAST_PERCENT = 18;

export function HeatMap({ heat: { rows, highest }, metric }: Readonly<{ heat: Heat; metric: Metric }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region takes the focus.
    <section aria-label="Heat map" tabIndex={0} className="relative overflow-x-auto pb-1">
      <table className="w-full min-w-[40rem] table-fixed border-separate border-spacing-[3px] text-xs">
        <thead>
          <tr>
            <th scope="col" className="w-24">
              <span className="sr-only">Day</span>
            </th>
            {HOURS.map((hour) => (
              <th key={hour} scope="col" className="font-normal text-quiet">
                <span className={hour % 3 === 0 ? '' : 'sr-only'}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, hours }) => (
            <tr key={label}>
              <th scope="row" className="pr-2 text-left font-normal whitespace-nowrap text-quiet">
                {label}
              </th>
              {hours.map((value, hour) => {
                const text = formatMetric(metric, value);
                return (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: the hour is what the place means.
                    key={hour}
                    title={`${label}, ${hour}:00: ${text}`}
                    className={classNames('h-6 rounded-sm', value === 0 && 'bg-sunken')}
                    style={value === 0 ? undefined : { backgroundColor: colorOf(value, highest) }}
                  >
                    <span className="sr-only">{text}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function colorOf(value: number, highest: number): string {
  const percent = LEAST_PERCENT + (100 - LEAST_PERCENT) * (value / highest);
  return `color-mix(in srgb, var(--accent) ${percent.toFixed(0)}%, var(--sunken))`;
}
