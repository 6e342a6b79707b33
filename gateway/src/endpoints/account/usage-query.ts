// The query parameters of /v1/usage and /v1/insights. Periods are calendar periods in UTC, like the counters of a key,
// or count days or hours back from now. A parameter that is not understood is refused, because an answer about other
// days would be believed.

import { DAY_MS, dayOf, dayStartMs, daysBetween, HOUR_MS } from '../../canonical/calendar.ts';
import { periodStartMs, windowStartMs } from '../../canonical/spend-window.ts';
import {
  HEATMAP_METRICS,
  type HeatmapMetric,
  INSIGHTS_PERIODS,
  type InsightsPeriod,
  USAGE_GRAINS,
  USAGE_PERIODS,
  USAGE_SERIES,
  type UsagePeriod,
} from '../../contract/usage.ts';
import type { InsightsFilter } from '../../modules/usage/insights.ts';
import { oneOf, refused } from '../request-fields.ts';

const SPAN_DAYS_MAX = 366;
const HOURLY_DAYS_MAX = 8;
const FILTER_LENGTH_MAX = 512;

export type UsageSpan = Readonly<{
  period: UsagePeriod;
  firstDay: string;
  lastDay: string;
  /** The beginning of 24 hours that need not be a calendar day. */
  fromHourMs: number | null;
}>;

export function usageSpan(query: URLSearchParams, nowMs: number): UsageSpan {
  const period = oneOf('period', query.get('period'), USAGE_PERIODS) ?? 'month';
  if (period === 'custom') return { period, ...daySpan(query.get('from'), query.get('to')), fromHourMs: null };
  for (const name of ['from', 'to']) {
    if (query.has(name)) throw refused(name, 'is only taken with period=custom.');
  }
  const firstMs = firstMomentMs(period, nowMs);
  const fromHourMs = period === '24h' ? firstMs : null;
  return { period, firstDay: dayOf(firstMs), lastDay: dayOf(nowMs), fromHourMs };
}

/** The same length of time, just before. */
export function spanBefore({ period, firstDay, lastDay, fromHourMs }: UsageSpan): UsageSpan {
  const firstMs = dayStartMs(firstDay) ?? 0;
  if (fromHourMs !== null) {
    const beforeMs = fromHourMs - DAY_MS;
    return { period, firstDay: dayOf(beforeMs), lastDay: dayOf(fromHourMs), fromHourMs: beforeMs };
  }
  const days = daysBetween(firstMs, dayStartMs(lastDay) ?? 0);
  return { period, firstDay: dayOf(firstMs - days * DAY_MS), lastDay: dayOf(firstMs - DAY_MS), fromHourMs };
}

export const sinceOf = ({ firstDay, fromHourMs }: UsageSpan): string =>
  fromHourMs === null ? `${firstDay}T00:00:00.000Z` : new Date(fromHourMs).toISOString();

/** 24 hours are always shown by the hour; for more than eight days there would be too many hours. */
export function grainOf(query: URLSearchParams, { firstDay, lastDay, fromHourMs }: UsageSpan): 'day' | 'hour' {
  if (fromHourMs !== null) return 'hour';
  const grain = oneOf('by', query.get('by'), USAGE_GRAINS) ?? 'day';
  const days = daysBetween(dayStartMs(firstDay) ?? 0, dayStartMs(lastDay) ?? 0);
  if (grain === 'hour' && days > HOURLY_DAYS_MAX) {
    throw refused('by', `hours are told of at most ${HOURLY_DAYS_MAX} days.`);
  }
  return grain;
}

export const hasComparison = (query: URLSearchParams): boolean =>
  oneOf('compare', query.get('compare'), ['previous']) !== null;

export const usageFormat = (query: URLSearchParams): 'json' | 'csv' =>
  oneOf('format', query.get('format'), ['json', 'csv']) ?? 'json';

export const seriesOf = (query: URLSearchParams): (typeof USAGE_SERIES)[number] | null =>
  oneOf('series', query.get('series'), USAGE_SERIES);

function firstMomentMs(period: Exclude<UsagePeriod, 'custom'>, nowMs: number): number {
  switch (period) {
    case 'day':
      return periodStartMs('daily', nowMs);
    case 'week':
      return periodStartMs('weekly', nowMs);
    case 'month':
      return periodStartMs('monthly', nowMs);
    case 'year':
      return yearStartMs(nowMs);
    case '24h':
      // Hours are whole: the current one is the last.
      return windowStartMs('hour', nowMs) - 23 * HOUR_MS;
    case '7d':
      return nowMs - 6 * DAY_MS;
    case '30d':
      return nowMs - 29 * DAY_MS;
    case '90d':
      return nowMs - 89 * DAY_MS;
  }
}

const yearStartMs = (nowMs: number): number => Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1);

/** Both days are included. */
export function daySpan(from: string | null, to: string | null): Readonly<{ firstDay: string; lastDay: string }> {
  const firstMs = requiredDay('from', from);
  const lastMs = requiredDay('to', to);
  const days = daysBetween(firstMs, lastMs);
  if (days < 1) throw refused('to', 'must not be before from.');
  if (days > SPAN_DAYS_MAX) throw refused('to', `must be at most ${SPAN_DAYS_MAX} days after from, both counted.`);
  return { firstDay: dayOf(firstMs), lastDay: dayOf(lastMs) };
}

function requiredDay(name: string, text: string | null): number {
  const startMs = text === null ? null : dayStartMs(text);
  if (startMs === null) throw refused(name, 'must be a date, YYYY-MM-DD.');
  return startMs;
}

export type InsightsRequest = Readonly<{
  period: InsightsPeriod;
  metric: HeatmapMetric;
  /** Null for all time. */
  firstDay: string | null;
  filter: InsightsFilter;
}>;

export function insightsRequest(query: URLSearchParams, nowMs: number): InsightsRequest {
  const period = oneOf('period', query.get('period'), INSIGHTS_PERIODS) ?? '7d';
  return {
    period,
    metric: oneOf('heatmap_metric', query.get('heatmap_metric'), HEATMAP_METRICS) ?? 'spend',
    firstDay: insightsFirstDay(period, nowMs),
    filter: filtersOf(query),
  };
}

export const filtersOf = (query: URLSearchParams): InsightsFilter => ({
  modelId: filterOf(query, 'model'),
  keyId: filterOf(query, 'api_key_id'),
  appName: filterOf(query, 'app'),
});

/** Today is the last of the days. */
function insightsFirstDay(period: InsightsPeriod, nowMs: number): string | null {
  switch (period) {
    case '7d':
      return dayOf(nowMs - 6 * DAY_MS);
    case '30d':
      return dayOf(nowMs - 29 * DAY_MS);
    case 'ytd':
      return dayOf(yearStartMs(nowMs));
    case 'all':
      return null;
  }
}

/** The database cannot store NUL, and an empty filter is one that a form left empty. */
export function filterOf(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  if (value === null || value === '') return null;
  if (value.length > FILTER_LENGTH_MAX || value.includes('\0')) {
    throw refused(name, `must be text of at most ${FILTER_LENGTH_MAX} characters.`);
  }
  return value;
}
