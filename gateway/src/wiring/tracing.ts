// Tracing, where a collector is configured, and the metrics that tell whether the collector takes what it is sent.

import { createMetrics, type Metrics } from '../platform/metrics.ts';
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

// The metrics, with the figures of the storage, and those of the other workers where there are any.

export function openMetrics({ config, options, storage }: Parts): Metrics {
  const metrics = createMetrics();
  const { redis: parts } = storage;
  metrics.watch({
    name: 'tollgate_database_statements_total',
    help: 'Statements sent to the database.',
    kind: 'counter',
    read: storage.statementCount,
  });
  if (config.databaseReadUrl !== null) {
    metrics.watch({
      name: 'tollgate_database_read_lag_seconds',
      help: 'How far the standby that answers reports is behind; NaN while it is away and the primary answers.',
      kind: 'gauge',
      read: () => (storage.reader.lagMs() ?? Number.NaN) / 1_000,
    });
  }
  if (parts !== null) {
    metrics.watch({
      name: 'tollgate_redis_ready',
      help: 'Whether Redis answers; while it does not, each process counts by itself.',
      kind: 'gauge',
      read: () => (parts.redis.state() === 'ready' ? 1 : 0),
    });
    metrics.watch({
      name: 'tollgate_processes',
      help: 'Processes that hear each other through Redis, as last known.',
      kind: 'gauge',
      read: () => parts.bus.processCount(),
    });
  }
  return { ...metrics, render: options.collectMetrics?.(metrics.render) ?? metrics.render };
}
