// Stacked bars over time. Only pages with charts load it, through lazy-time-chart.tsx. Its figures are also in a table
// of the page, so for screen readers it is one picture.

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { axisOf, type Unit } from './axis.ts';
import { formatCompact, formatUsd } from './format.ts';

export type ChartLine = Readonly<{ id: string; label: string; color: string }>;
export type ChartPoint = Readonly<{
  label: string;
  /** Shown when somebody points at it. */
  note?: string;
  values: Readonly<Record<string, number>>;
}>;

export type TimeChartProps = Readonly<{
  title: string;
  lines: readonly ChartLine[];
  points: readonly ChartPoint[];
  unit: Unit;
}>;

const FORMATS = { usd: formatUsd, count: formatCompact } as const;
const TICK = { fill: 'var(--quiet)', fontSize: 12 };

export function TimeChart({ title, lines, points, unit }: TimeChartProps) {
  const format = FORMATS[unit];
  const heights = points.map(({ values }) => lines.reduce((sum, { id }) => sum + (values[id] ?? 0), 0));
  const { ticks, textOf } = axisOf(Math.max(0, ...heights), unit);
  return (
    <figure role="img" aria-label={title} className="m-0 h-full w-full">
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={[...points]} accessibilityLayer={false} margin={{ top: 8, right: 4, bottom: 0, left: 0 }}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="label"
            tick={TICK}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            minTickGap={24}
            interval="equidistantPreserveStart"
          />
          <YAxis
            tick={TICK}
            tickLine={false}
            axisLine={false}
            width={widthOf(ticks.map(textOf))}
            ticks={[...ticks]}
            domain={[0, ticks.at(-1) ?? 1]}
            tickFormatter={textOf}
          />
          <Tooltip
            cursor={{ fill: 'var(--sunken)' }}
            isAnimationActive={false}
            content={({ active, label }) => {
              const point = active === true ? points.find((candidate) => candidate.label === label) : undefined;
              return point === undefined ? null : <PointCard point={point} lines={lines} format={format} />;
            }}
          />
          {lines.map(({ id, label, color }) => (
            <Bar
              key={id}
              dataKey={(point: ChartPoint) => point.values[id] ?? 0}
              name={label}
              stackId="all"
              fill={color}
              maxBarSize={48}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </figure>
  );
}

type PointCardProps = Readonly<{
  point: ChartPoint;
  lines: readonly ChartLine[];
  format: (value: number) => string;
}>;

function PointCard({ point, lines, format }: PointCardProps) {
  const shown = lines.filter(({ id }) => (point.values[id] ?? 0) > 0);
  return (
    <div className="grid gap-1 rounded-lg border border-line bg-surface px-3 py-2 text-xs shadow-lg">
      <p className="font-medium">{point.label}</p>
      {point.note !== undefined && <p className="text-quiet">{point.note}</p>}
      {shown.length === 0 && <p className="text-quiet">Nothing</p>}
      {shown.map(({ id, label, color }) => (
        <p key={id} className="flex items-center gap-2">
          <span className="size-2.5 shrink-0 rounded-sm" style={{ backgroundColor: color }} />
          <span className="max-w-52 truncate">{label}</span>
          <span className="ml-auto pl-3 tabular-nums">{format(point.values[id] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}

const CHARACTER_PX = 7;

/** Room for the longest figure at the axis: cents are short, and parts of a cent are not. */
const widthOf = (texts: readonly string[]): number =>
  Math.max(64, Math.max(0, ...texts.map(({ length }) => length)) * CHARACTER_PX + 12);
