// Tracing, where a collector is given, and the figures that tell whether it takes what it is sent.

import type { Metrics } from '../platform/metrics.ts';
import { openExporter } from '../platform/tracing/exporter.ts';
import { createTracer, type Tracer } from '../platform/tracing/tracer.ts';
import type { Parts } from './parts.ts';

export function openTracing({ config: { tracing }, clock, logger }: Parts, metrics: Metrics): Tracer | null {
  if (tracing === null) return null;
  const { sampler, exporter: settings } = tracing;
  const exporter = openExporter(settings, clock, logger);
  metrics.watch({
    name: 'tollgate_spans_exported_total',
    help: 'Spans that the collector has taken.',
    kind: 'counter',
    read: () => exporter.exportedCount(),
  });
  metrics.watch({
    name: 'tollgate_spans_dropped_total',
    help: 'Spans that the collector has not got: it was away, refused them, or too many came at once.',
    kind: 'counter',
    read: () => exporter.droppedCount(),
  });
  metrics.watch({
    name: 'tollgate_spans_queued',
    help: 'Spans that wait to be sent.',
    kind: 'gauge',
    read: () => exporter.queuedCount(),
  });
  return createTracer({
    clock,
    sampler,
    onEnded: (record) => exporter.add(record),
    close: () => exporter.close(),
  });
}
