// Histograms in OTLP's JSON form, as the difference to what was sent before: the receiver adds them up.

import { type Attributes, encodeAttributes, nanoText, SCOPE } from './encode-spans.ts';
import type { AttributeValue } from './span.ts';

export type Histogram = Readonly<{
  name: string;
  unit: string;
  description: string;
  /** The upper ends of the buckets; one more holds what is greater. */
  bounds: readonly number[];
}>;

export type Measured = Readonly<{
  histogram: Histogram;
  attributes: Readonly<Record<string, AttributeValue>>;
  value: number;
}>;

type MetricPeriod = Readonly<{ startMs: number; endMs: number }>;

const DELTA = 1;

type Series = { readonly attributes: Measured['attributes']; readonly values: number[] };

export function encodeMetrics(measured: readonly Measured[], resource: Attributes, period: MetricPeriod): string {
  const byHistogram = new Map<Histogram, Map<string, Series>>();
  for (const { histogram, attributes, value } of measured) {
    const allSeries = byHistogram.get(histogram) ?? new Map<string, Series>();
    byHistogram.set(histogram, allSeries);
    const key = JSON.stringify(attributes);
    const series = allSeries.get(key) ?? { attributes, values: [] };
    allSeries.set(key, series);
    series.values.push(value);
  }
  const metrics = Array.from(byHistogram, ([{ name, unit, description, bounds }, allSeries]) => ({
    ...{ name, unit, description },
    histogram: {
      aggregationTemporality: DELTA,
      dataPoints: Array.from(allSeries.values(), (series) => dataPoint(series, bounds, period)),
    },
  }));
  const scopeMetrics = [{ scope: SCOPE, metrics }];
  return JSON.stringify({
    resourceMetrics: [{ resource: { attributes: encodeAttributes(Object.entries(resource)) }, scopeMetrics }],
  });
}

function dataPoint(
  { attributes, values }: Series,
  bounds: readonly number[],
  { startMs, endMs }: MetricPeriod,
): object {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let sum = 0;
  for (const value of values) {
    const place = bounds.findIndex((bound) => value <= bound);
    const bucket = place === -1 ? bounds.length : place;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    sum += value;
  }
  return {
    attributes: encodeAttributes(Object.entries(attributes)),
    startTimeUnixNano: nanoText(startMs),
    timeUnixNano: nanoText(endMs),
    count: String(values.length),
    sum,
    min: Math.min(...values),
    max: Math.max(...values),
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}
