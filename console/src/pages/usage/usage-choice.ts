// Which part of an account's usage is shown: which days, by what, in which figure.

import type { UsageAnswer, UsagePeriod } from '../../../../gateway/src/contract/usage.ts';
import type { UsageWish } from '../../api/account.ts';
import { formatCompact, formatUsd } from '../../ui/format.ts';
import type { DayValue, Span } from './time-series.ts';

export type Metric = 'spend' | 'tokens' | 'requests';
export type Dimension = 'model' | 'key' | 'app';

export const METRICS: readonly (readonly [Metric, string])[] = [
  ['spend', 'Spend'],
  ['tokens', 'Tokens'],
  ['requests', 'Requests'],
];

export const DIMENSIONS: readonly (readonly [Dimension, string])[] = [
  ['model', 'By model'],
  ['key', 'By key'],
  ['app', 'By app'],
];

export const PERIODS: readonly (readonly [UsagePeriod, string])[] = [
  ['day', 'Today'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['month', 'This month'],
  ['year', 'This year'],
  ['custom', 'Custom'],
];

export const periodOf = (text: string | undefined): UsagePeriod =>
  PERIODS.find(([period]) => period === text)?.[0] ?? '30d';

export const metricOf = (text: string | undefined): Metric =>
  METRICS.find(([metric]) => metric === text)?.[0] ?? 'spend';

/** A day is shown by the hour. */
const isByHour = (period: UsagePeriod): boolean => period === 'day' || period === '24h';

export const dimensionOf = (text: string | undefined): Dimension =>
  DIMENSIONS.find(([dimension]) => dimension === text)?.[0] ?? 'model';

type UsageSearch = Readonly<
  Partial<Record<'orgId' | 'period' | 'from' | 'to' | 'by' | 'model' | 'key' | 'app', string>>
>;

/** What the address of the page asks for, as the gateway takes it. */
export function wishOf({ orgId, period: asked, from, to, by, model, key, app }: UsageSearch): UsageWish {
  const period = periodOf(asked);
  const dimension = dimensionOf(by);
  return {
    orgId,
    period,
    ...(period === 'custom' ? { from, to } : {}),
    ...(dimension === 'model' ? {} : { series: dimension }),
    ...(isByHour(period) ? { by: 'hour' } : {}),
    ...{ model, api_key_id: key, app },
  };
}

/** Days of one's own choice need both ends. */
export const isWhole = ({ period, from, to }: UsageWish): boolean =>
  period !== 'custom' || (from !== undefined && to !== undefined);

/** With the figures of as much time just before. */
export const comparedTo = (wish: UsageWish): UsageWish => ({ ...wish, compare: 'previous' });

/** How a figure has changed against the same length of time just before. */
export function changeText(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as before: none' : 'none before';
  const percent = Math.round(((now - before) / before) * 100);
  return `${percent > 0 ? '+' : ''}${percent} % compared with before`;
}

export const formatMetric = (metric: Metric, value: number): string =>
  metric === 'spend' ? formatUsd(value) : formatCompact(value);

const NO_APP = 'No name given';

type Day = Readonly<{ date: string; cost: number; tokens: number; requests: number }>;

const figureOf = (day: Day, metric: Metric): number => (metric === 'spend' ? day.cost : day[metric]);

/** Everything that happened, by model. */
export const daysByModel = (usage: UsageAnswer, metric: Metric): readonly DayValue[] =>
  usage.timeSeries.map((day) => ({
    date: day.date,
    id: day.model,
    label: day.model,
    value: figureOf(day, metric),
  }));

/** The days by key or application, as they were asked for. */
export const daysOfSeries = (usage: UsageAnswer, metric: Metric): readonly DayValue[] =>
  (usage.series ?? []).map((day) => ({
    date: day.date,
    id: day.id,
    label: day.name ?? (day.id === '' ? NO_APP : day.id),
    value: figureOf(day, metric),
  }));

export function spanOf(usage: UsageAnswer, to: string | undefined, nowMs: number): Span {
  if (isByHour(usage.period)) return { firstHour: usage.since };
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return { firstDay: usage.since.slice(0, 10), lastDay: usage.period === 'custom' ? (to ?? today) : today };
}

export type UsageEntry = Readonly<{ id: string; label: string; spend: number; tokens: number; requests: number }>;

export function entriesOf(usage: UsageAnswer, dimension: Dimension): readonly UsageEntry[] {
  switch (dimension) {
    case 'model':
      return usage.byModel.map((entry) => ({ ...entry, id: entry.model, label: entry.model }));
    case 'key':
      return usage.byKey.map((entry) => ({ ...entry, id: entry.keyId, label: entry.keyName ?? entry.keyId }));
    case 'app':
      return usage.byApp.map((entry) => ({ ...entry, id: entry.appName ?? '', label: entry.appName ?? NO_APP }));
  }
}
