// Reads what a collector is sent, and compares every name in it with the registry of OpenTelemetry's conventions.

import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect } from 'vitest';
import type { Json } from '../harness.ts';

const registered: ReadonlySet<unknown> = new Set(Object.values(conventions));
/** Every name that is not ours must be in the registry. */
const OURS = /^tollgate\./;

type Value = Readonly<{
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}>;
type Attribute = Readonly<{ key: string; value: Value }>;

function readAttributes(attributes: unknown): Json {
  return Object.fromEntries(
    (attributes as Attribute[]).map(({ key, value }) => {
      expect(OURS.test(key) || registered.has(key), `${key} is no registered attribute`).toBe(true);
      return [key, readValue(value)];
    }),
  );
}

function readValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(readValue);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
}

export type SentSpan = Readonly<{
  traceId: string;
  spanId: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code: number };
  attributes: Json;
}>;

export function spansIn(text: string): readonly SentSpan[] {
  const { resourceSpans } = JSON.parse(text) as { resourceSpans: Json[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    expect(readAttributes((resource as Json).attributes)).toEqual({ 'service.name': 'tollgate' });
    return (scopeSpans as { spans: Json[] }[]).flatMap(({ spans }) =>
      spans.map((span) => {
        expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
        expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
        return { ...(span as unknown as SentSpan), attributes: readAttributes(span.attributes) };
      }),
    );
  });
}

export type SentPoint = Readonly<{ metric: string; unit: string; attributes: Json; count: number; sum: number }>;

export function pointsIn(text: string): readonly SentPoint[] {
  const { resourceMetrics } = JSON.parse(text) as { resourceMetrics: { scopeMetrics: { metrics: Json[] }[] }[] };
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return metrics.flatMap(({ name, unit, histogram }) => {
    expect(registered.has(name), `${String(name)} is no registered metric`).toBe(true);
    const { aggregationTemporality, dataPoints } = histogram as { aggregationTemporality: number; dataPoints: Json[] };
    expect(aggregationTemporality).toBe(1);
    return dataPoints.map((point) => {
      const buckets = (point.bucketCounts as string[]).map(Number);
      expect(buckets).toHaveLength((point.explicitBounds as number[]).length + 1);
      expect(buckets.reduce((sum, bucket) => sum + bucket, 0)).toBe(Number(point.count));
      expect(BigInt(String(point.startTimeUnixNano))).toBeLessThanOrEqual(BigInt(String(point.timeUnixNano)));
      const attributes = readAttributes(point.attributes);
      return {
        metric: String(name),
        unit: String(unit),
        attributes,
        count: Number(point.count),
        sum: Number(point.sum),
      };
    });
  });
}
