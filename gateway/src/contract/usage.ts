// Usage as its owner and the operator read it. Amounts are JSON numbers in USD, dates are UTC days.

import { type Static, Type } from '@sinclair/typebox';
import { count, listOf, moment, named, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const figureFields = {
  spend: usd('Spent.'),
  tokens: count('Tokens of prompts and answers.'),
  requests: count('Calls.'),
};

const UsageTotals = Type.Object(
  {
    ...figureFields,
    promptTokens: Type.Optional(count('Tokens of prompts; not told of 24 hours.')),
    completionTokens: Type.Optional(count('Tokens of answers; not told of 24 hours.')),
  },
  named('UsageTotals'),
);
export type UsageTotals = Shape<typeof UsageTotals>;

export type UsageFigures = Readonly<{ spend: number; tokens: number; requests: number }>;

const ModelUsage = Type.Object({ model: text('Its id.'), ...figureFields }, named('ModelUsage'));
export type ModelUsage = Shape<typeof ModelUsage>;

const KeyUsageEntry = Type.Object(
  {
    keyId: Type.String(),
    keyName: orNull(text('The name of the key, also after the key is deleted.')),
    ...figureFields,
  },
  named('KeyUsage'),
);
export type KeyUsageEntry = Shape<typeof KeyUsageEntry>;

const AppUsage = Type.Object(
  { appName: orNull(text('Null for calls that did not name their application.')), ...figureFields },
  named('AppUsage'),
);
export type AppUsage = Shape<typeof AppUsage>;

/** The first four are calendar periods in UTC, the others go back from now. */
export const USAGE_PERIODS = ['day', 'week', 'month', 'year', '24h', '7d', '30d', '90d', 'custom'] as const;
export type UsagePeriod = (typeof USAGE_PERIODS)[number];

/** What `?series=` may ask for besides the time series by model. */
export const USAGE_SERIES = ['key', 'app'] as const;

export const USAGE_GRAINS = ['day', 'hour'] as const;

const when = text('The day (UTC); by the hour, the moment at which it begins.');

const dayFigures = { cost: usd('Spent.'), tokens: count('Tokens.'), requests: count('Calls.') };

/** A key by its id, an application by its name; the name is null for calls that named none. */
const UsageSeriesDay = Type.Object(
  { date: when, id: Type.String(), name: orNull(Type.String()), ...dayFigures },
  named('UsageSeriesDay'),
);
export type UsageSeriesDay = Shape<typeof UsageSeriesDay>;

/** GET /v1/usage. Lists are ordered by spend, the time series by date. */
export const UsageAnswer = Type.Object(
  {
    period: oneOf(USAGE_PERIODS, 'What was asked for.'),
    since: moment('The beginning of the span.'),
    credits: usd("The account's balance."),
    totals: UsageTotals,
    byModel: listOf(ModelUsage),
    byKey: listOf(KeyUsageEntry),
    byApp: listOf(AppUsage),
    timeSeries: listOf(Type.Object({ date: when, model: Type.String(), ...dayFigures }), 'By date.'),
    series: Type.Optional(listOf(UsageSeriesDay, 'Only with `series`: the days of those that spent most, by date.')),
    previous: Type.Optional(
      Type.Object(
        { since: moment('The beginning of the span.'), totals: UsageTotals },
        { description: 'Only with `compare`: the span of the same length just before.' },
      ),
    ),
  },
  named('Usage'),
);
export type UsageAnswer = Shape<typeof UsageAnswer>;

export const INSIGHTS_PERIODS = ['7d', '30d', 'ytd', 'all'] as const;
export type InsightsPeriod = (typeof INSIGHTS_PERIODS)[number];

export const HEATMAP_METRICS = ['spend', 'tokens', 'requests'] as const;
export type HeatmapMetric = (typeof HEATMAP_METRICS)[number];

/** GET /v1/insights. */
export const InsightsAnswer = Type.Object(
  {
    period: oneOf(INSIGHTS_PERIODS, 'What was asked for.'),
    totals: UsageTotals,
    heatmap: listOf(
      Type.Object({ date: text('The day (UTC).'), hour: count('From 0 to 23 (UTC).'), value: Type.Number() }),
      'Only hours with a value above zero.',
    ),
    topModels: listOf(ModelUsage, 'By spend.'),
    topKeys: listOf(KeyUsageEntry, 'By spend.'),
    topApps: listOf(AppUsage, 'By spend.'),
    cachedAt: moment('When the figures were computed; they are reused for five minutes.'),
  },
  named('Insights'),
);
export type InsightsAnswer = Shape<typeof InsightsAnswer>;

const absorbedFields = {
  absorbedUsd: usd('The cost of calls that was not charged.'),
  calls: count('How many they were.'),
};

/** Absorbed cost, the users with the most first. The total includes all users, listed or not. */
export const AbsorbedAnswer = Type.Object(
  {
    totalUsd: usd('Of all users, listed or not.'),
    users: listOf(
      Type.Object({
        userId: Type.String(),
        ...absorbedFields,
        reasons: listOf(Type.Object({ reason: Type.String(), ...absorbedFields })),
        models: listOf(
          Type.Object({ model: orNull(Type.String()), reason: Type.String(), ...absorbedFields }),
          'The same by reason and model; a model is null where it is not known any more.',
        ),
      }),
      'Those with the most first.',
    ),
  },
  named('AbsorbedCosts'),
);
export type AbsorbedAnswer = Shape<typeof AbsorbedAnswer>;

const strict = { additionalProperties: false };
const day = Type.String({ maxLength: 10, description: 'a date, YYYY-MM-DD' });

export const RebuildBody = Type.Object({ from: day, to: day }, { ...strict, title: 'RebuildBody' });
export type RebuildBody = Static<typeof RebuildBody>;

export const RebuildAnswer = Type.Object(
  {
    days: count('How many days were added up again.'),
    correctedRows: count('How many sums were wrong and have been corrected; usually zero.'),
  },
  named('UsageRebuilt'),
);
export type RebuildAnswer = Shape<typeof RebuildAnswer>;

export const DropMonthsBody = Type.Object(
  { before: Type.String({ maxLength: 7, description: 'a month, YYYY-MM' }) },
  { ...strict, title: 'DropMonthsBody' },
);
export type DropMonthsBody = Static<typeof DropMonthsBody>;

export const DropMonthsAnswer = Type.Object(
  { dropped: listOf(Type.String(), 'The months whose records went, as `YYYY-MM`.') },
  named('MonthsDropped'),
);
export type DropMonthsAnswer = Shape<typeof DropMonthsAnswer>;
