// What has been used, as its owner and the operator read it. Amounts are JSON numbers in USD, dates are UTC days.

import { type Static, Type } from '@sinclair/typebox';

export type UsageTotals = Readonly<{
  spend: number;
  requests: number;
  tokens: number;
  promptTokens: number;
  completionTokens: number;
}>;

export type UsageFigures = Readonly<{ spend: number; tokens: number; requests: number }>;

export type ModelUsage = Readonly<{ model: string }> & UsageFigures;
/** The name outlives the key. */
export type KeyUsageEntry = Readonly<{ keyId: string; keyName: string | null }> & UsageFigures;
/** Null for calls that did not name their application. */
export type AppUsage = Readonly<{ appName: string | null }> & UsageFigures;

export const USAGE_PERIODS = ['day', 'week', 'month', 'year', 'custom'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** What `?series=` may ask for beside the time series by model. */
export const USAGE_SERIES = ['key', 'app'] as const;

/** A key by its id, an application by its name; the name is null for calls that named none. */
export type UsageSeriesDay = Readonly<{
  date: string;
  id: string;
  name: string | null;
  cost: number;
  tokens: number;
  requests: number;
}>;

/** GET /v1/usage. Lists are ordered by spend, the time series by date. */
export type UsageAnswer = Readonly<{
  period: UsagePeriod;
  /** The first moment that counts. */
  since: string;
  /** The account's balance. */
  credits: number;
  totals: UsageTotals;
  byModel: readonly ModelUsage[];
  byKey: readonly KeyUsageEntry[];
  byApp: readonly AppUsage[];
  timeSeries: readonly Readonly<{ date: string; model: string; cost: number; tokens: number; requests: number }>[];
  /** Only with `?series=`: the days of those that spent most, by date. */
  series?: readonly UsageSeriesDay[];
}>;

export const INSIGHTS_PERIODS = ['7d', '30d', 'ytd', 'all'] as const;
export type InsightsPeriod = (typeof INSIGHTS_PERIODS)[number];

export const HEATMAP_METRICS = ['spend', 'tokens', 'requests'] as const;
export type HeatmapMetric = (typeof HEATMAP_METRICS)[number];

/** GET /v1/insights. The heat map has only hours (UTC, 0 to 23) with a value above zero; the tops are by spend. */
export type InsightsAnswer = Readonly<{
  period: InsightsPeriod;
  totals: UsageTotals;
  heatmap: readonly Readonly<{ date: string; hour: number; value: number }>[];
  topModels: readonly ModelUsage[];
  topKeys: readonly KeyUsageEntry[];
  topApps: readonly AppUsage[];
  /** When the figures were read; they are answered again for five minutes. */
  cachedAt: string;
}>;

type AbsorbedFigures = Readonly<{ absorbedUsd: number; calls: number }>;

/** Cost that nobody paid, the users with the most of it first. The total is of all users, listed or not. */
export type AbsorbedAnswer = Readonly<{
  totalUsd: number;
  users: readonly (Readonly<{ userId: string }> &
    AbsorbedFigures &
    Readonly<{ reasons: readonly (Readonly<{ reason: string }> & AbsorbedFigures)[] }>)[];
}>;

const strict = { additionalProperties: false };
const day = Type.String({ maxLength: 10, description: 'a date, YYYY-MM-DD' });

export const RebuildBody = Type.Object({ from: day, to: day }, strict);
export type RebuildBody = Static<typeof RebuildBody>;

/** `correctedRows` is zero unless something had gone wrong. */
export type RebuildAnswer = Readonly<{ days: number; correctedRows: number }>;

export const DropMonthsBody = Type.Object(
  { before: Type.String({ maxLength: 7, description: 'a month, YYYY-MM' }) },
  strict,
);
export type DropMonthsBody = Static<typeof DropMonthsBody>;

/** The months whose records went, as `YYYY-MM`. */
export type DropMonthsAnswer = Readonly<{ dropped: readonly string[] }>;
