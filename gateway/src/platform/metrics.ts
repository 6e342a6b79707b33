// What operators watch, in Prometheus' form. Labels have few values by construction: routes by their pattern, never by
// the path that was asked for.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createJobMetrics, type JobMetrics } from './job-metrics.ts';
import { CounterTally, HistogramTally } from './tally.ts';

export type Metrics = Readonly<{
  contentType: string;
  render(): Promise<string>;
  requestFinished(routePath: string, status: number, durationMs: number): void;
  /** `outcome` is one of the few kinds of result that dispatch knows. */
  upstreamAttempt(provider: string, outcome: string): void;
  /** `reason` is one of the few for which a route is not asked for a while. */
  routeIsolated(provider: string, reason: string): void;
  /** `outcome`: settled, released, absorbed. */
  settlement(outcome: string, count?: number): void;
  /** One group commit and how many settlements it carried. */
  batchCommitted(size: number): void;
  /** A figure that somebody else keeps; it is read when the page is made. */
  watch(figure: WatchedFigure): void;
  jobs: JobMetrics;
}>;

export type WatchedFigure = Readonly<{
  name: string;
  help: string;
  /** One that only grows is a counter. */
  kind: 'counter' | 'gauge';
  read(): number;
}>;

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new CounterTally('tollgate_http_requests_total', 'Requests answered, by route and status.', [
    'route',
    'status',
  ]);
  const requestSeconds = new HistogramTally({
    name: 'tollgate_http_request_duration_seconds',
    help: 'From the request head to the end of the answer, streams included.',
    label: 'route',
    bounds: REQUEST_SECONDS,
  });
  const attempts = new CounterTally('tollgate_upstream_attempts_total', 'Attempts at upstream providers, by outcome.', [
    'provider',
    'outcome',
  ]);
  const isolations = new CounterTally('tollgate_route_isolations_total', 'Routes taken out of use, by reason.', [
    'provider',
    'reason',
  ]);
  const settlements = new Counter({
    name: 'tollgate_settlements_total',
    help: 'Reservations that ended, by how.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const batchSize = new Histogram({
    name: 'tollgate_settlement_batch_size',
    help: 'Settlements in one group commit.',
    buckets: BATCH_SIZES,
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    render: async () =>
      [
        requests.render(),
        requestSeconds.render(),
        attempts.render(),
        isolations.render(),
        await registry.metrics(),
      ].join('\n'),
    requestFinished(routePath, status, durationMs) {
      requests.add(routePath, status);
      requestSeconds.observe(routePath, durationMs / 1000);
    },
    upstreamAttempt: (provider, outcome) => attempts.add(provider, outcome),
    routeIsolated: (provider, reason) => isolations.add(provider, reason),
    settlement: (outcome, count = 1) => settlements.inc({ outcome }, count),
    batchCommitted: (size) => batchSize.observe(size),
    watch: (figure) => watch(registry, figure),
    jobs: createJobMetrics(registry),
  };
}

function watch(registry: Registry, { name, help, kind, read }: WatchedFigure): void {
  if (kind === 'gauge') {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
    return;
  }
  let counted = 0;
  const counter: Counter = new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      const total = read();
      counter.inc(total - counted);
      counted = total;
    },
  });
}
