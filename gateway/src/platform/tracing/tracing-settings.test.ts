// The tracing variables of the environment, and how traces get different ids.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSampled } from './sampler.ts';
import { formatTraceparent, parseTraceparent, parseTracestate } from './trace-context.ts';
import { readTracing } from './tracing-settings.ts';

function read(environment: Record<string, string>) {
  const problems: string[] = [];
  const settings = readTracing({
    text: (name) => environment[name] ?? null,
    problem: (name, message) => problems.push(`${name}: ${message}`),
  });
  return { settings, problems };
}

test('without an address nothing is traced, whatever else is set', () => {
  expect(read({ OTEL_SERVICE_NAME: 'a', OTEL_TRACES_SAMPLER: 'nonsense' })).toEqual({ settings: null, problems: [] });
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }).settings).toBeNull();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).settings).toBeNull();
});

test('an address is enough, and what is for traces alone goes before what is for everything', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/base/';
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT }).settings).toEqual({
    sampler: { followsCaller: true, ratio: 1 },
    exporter: {
      url: 'http://collector:4318/base/v1/traces',
      headers: [],
      resource: { 'service.name': 'tollgate' },
      timeoutMs: 10_000,
      queueMax: 2_048,
      batchMax: 512,
      delayMs: 5_000,
    },
  });
  const { settings, problems } = read({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/path',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20eA==, b = 2 ',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=given,region=eu',
    OTEL_SERVICE_NAME: 'named',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  expect(problems).toEqual([]);
  expect(settings).toMatchObject({
    sampler: { followsCaller: false, ratio: 0.25 },
    exporter: {
      url: 'https://other/path',
      headers: ['authorization', 'Basic eA==', 'b', '2'],
      resource: { 'service.name': 'named', region: 'eu' },
    },
  });
});

test('what cannot be honoured is a problem that repeats no secret', () => {
  const { problems } = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret-without-a-name,x=%E0%A4%A,bad name=1',
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_BSP_MAX_QUEUE_SIZE: '0',
  });
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'OTEL_TRACES_SAMPLER',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_BSP_MAX_QUEUE_SIZE',
  ]);
  expect(problems.join()).not.toContain('secret-without');
  const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' };
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector', ...ratio }).problems).toHaveLength(1);
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://collector' }).problems).toHaveLength(1);
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a context is read as the recommendation writes it, and anything else is none', () => {
  const context = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(context);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)).toEqual({ ...context, isSampled: false });
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-is-new`)).toEqual(context);
  expect(formatTraceparent(context)).toBe(`00-${TRACE}-${SPAN}-01`);
  for (const text of [
    '',
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ]) {
    expect(parseTraceparent(text), text).toBeNull();
  }
  expect(parseTracestate('a=1,b=2')).toBe('a=1,b=2');
  expect(parseTracestate('a'.repeat(513))).toBeNull();
  expect(parseTracestate('a=\n')).toBeNull();
});

test('the ratio decides by the id of the trace, and the caller goes before it where it is followed', () => {
  const digest = (index: number) => createHash('sha256').update(String(index)).digest('hex').slice(0, 32);
  const ids = Array.from({ length: 1_000 }, (_, index) => digest(index));
  const share = (ratio: number) =>
    ids.filter((id) => isSampled({ ratio, followsCaller: false }, id, null, () => false)).length;
  expect([share(0), share(1)]).toEqual([0, 1_000]);
  expect(isSampled({ ratio: 0, followsCaller: false }, 'f'.repeat(32), null, () => true)).toBe(false);
  expect(share(0.25)).toBeGreaterThan(150);
  expect(share(0.25)).toBeLessThan(350);
  const caller = { traceId: TRACE, spanId: SPAN, isSampled: true };
  expect(isSampled({ ratio: 0, followsCaller: true }, TRACE, caller, () => true)).toBe(true);
  // Beyond their share, callers are sampled like all others.
  expect(isSampled({ ratio: 0, followsCaller: true }, TRACE, caller, () => false)).toBe(false);
  expect(isSampled({ ratio: 0, followsCaller: false }, TRACE, caller, () => true)).toBe(false);
  expect(isSampled({ ratio: 1, followsCaller: true }, TRACE, { ...caller, isSampled: false }, () => true)).toBe(false);
});
