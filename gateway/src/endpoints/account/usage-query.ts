// The query parameters of /v1/usage and /v1/insights. Periods are calendar periods in UTC, as the counters of a key are;
// only insights counts days back from today. What is not understood is refused, because silently answering about other
// days would be believed.

import {
  HEATMAP_METRICS,
  type HeatmapMetric,
  INSIGHTS_PERIODS,
  type InsightsPeriod,
  USAGE_PERIODS,
  USAGE_SERIES,
  type UsagePeriod,
} from '../../contract/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import { DAY_MS, dayOf, dayStartMs, daysBetween } from '../../modules/usage/days.ts';
import type { InsightsFilter } from '../../modules/usage/insights.ts';
import { periodStartMs } from '../../modules/usage/period.ts';

const SPAN_DAYS_MAX = 366;
const FILTER_LENGTH_MAX = 512;

export type UsageSpan = Readonly<{ period: UsagePeriod; firstDay: string; lastDay: string }>;

const refused = (name: string, words: string): ApiError => new ApiError('http_400', `${name}: ${words}`);

function oneOf<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
  fallback: Value,
): Value {
  const given = query.get(name);
  if (given === null) return fallback;
  const value = values.find((known) => known === given);
  if (value === undefined) throw refused(name, `must be one of ${values.join(', ')}.`);
  return value;
}

export function usageSpan(query: URLSearchParams, nowMs: number): UsageSpan {
  const period = oneOf(query, 'period', USAGE_PERIODS, 'month');
  if (period === 'custom') return { period, ...daySpan(query.get('from'), query.get('to')) };
  for (const name of ['from', 'to']) {
    if (query.has(name)) throw refused(name, 'is only taken with period=custom.');
  }
  return { period, firstDay: dayOf(firstMomentMs(period, nowMs)), lastDay: dayOf(nowMs) };
}

/** Null without a wish. */
export function seriesOf(query: URLSearchParams): (typeof USAGE_SERIES)[number] | null {
  return query.has('series') ? oneOf(query, 'series', USAGE_SERIES, 'key') : null;
}

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
  }
}

const yearStartMs = (nowMs: number): number => Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1);

/** Both days count. */
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
  /** Null for everything there is. */
  firstDay: string | null;
  filter: InsightsFilter;
}>;

export function insightsRequest(query: URLSearchParams, nowMs: number): InsightsRequest {
  const period = oneOf(query, 'period', INSIGHTS_PERIODS, '7d');
  return {
    period,
    metric: oneOf(query, 'heatmap_metric', HEATMAP_METRICS, 'spend'),
    firstDay: insightsFirstDay(period, nowMs),
    filter: {
      modelId: filterOf(query, 'model'),
      keyId: filterOf(query, 'api_key_id'),
      appName: filterOf(query, 'app'),
    },
  };
}

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

/** The database's text has no place for NUL, and an empty filter is one that a form left empty. */
export function filterOf(query: URLSearchParams, name: string): string | null {
  const value = query.get(name);
  if (value === null || value === '') return null;
  if (value.length > FILTER_LENGTH_MAX || value.includes('\0')) {
    throw refused(name, `must be text of at most ${FILTER_LENGTH_MAX} characters.`);
  }
  return value;
}
