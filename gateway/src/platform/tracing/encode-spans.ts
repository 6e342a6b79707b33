// Spans in OTLP's JSON form: ids in hexadecimal, times as nanoseconds in text, and every value with its type.

import type { AttributeValue, SpanKind, SpanRecord } from './span.ts';

export type Attributes = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
export const SCOPE = { name: 'tollgate' };

export function encodeSpans(records: readonly SpanRecord[], resource: Attributes): string {
  const scopeSpans = [{ scope: SCOPE, spans: records.map(encodeSpan) }];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: encodeAttributes(Object.entries(resource)) }, scopeSpans }],
  });
}

const encodeSpan = (record: SpanRecord): object => ({
  traceId: record.traceId,
  spanId: record.spanId,
  ...(record.parentSpanId === null ? {} : { parentSpanId: record.parentSpanId }),
  ...(record.tracestate === null ? {} : { traceState: record.tracestate }),
  name: record.name,
  kind: KINDS[record.kind],
  startTimeUnixNano: nanoText(record.startMs),
  endTimeUnixNano: nanoText(record.endMs),
  attributes: encodeAttributes(record.attributes),
  ...(record.hasFailed ? { status: { code: STATUS_ERROR } } : {}),
});

export const encodeAttributes = (attributes: Iterable<readonly [string, AttributeValue]>): readonly object[] =>
  Array.from(attributes, ([key, value]) => ({ key, value: encodeValue(value) }));

function encodeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A double cannot hold the nanoseconds since 1970, so whole milliseconds and their fraction are written separately. */
export function nanoText(timeMs: number): string {
  const wholeMs = Math.floor(timeMs);
  return String(BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((timeMs - wholeMs) * 1e6)));
}
