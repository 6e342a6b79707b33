// The gateway's metrics, in Prometheus' form. Labels have few values by construction: routes by their pattern, never by
// the requested path.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createJobMetrics, type JobMetrics } from './job-metrics.ts';

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
  /** A figure that another part keeps; it is read when the page is made. */
  watch(figure: WatchedFigure): void;
  jobs: JobMetrics;
}>;

export type WatchedFigure = Readonly<{
  name: string;
  help: string;
  /** A figure that only grows is shown as a counter. */
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

// Counters and histograms for what happens on every call. The metrics library sorts and joins the labels at each step,
// which costs up to a tenth of a call; here a step is a look-up and an addition, and text is made when the page is
// read.

/** Two labels at most: the first has few values (routes, providers), the second few more (statuses, outcomes). */
class CounterTally {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly [string, string];
  readonly #counts = new Map<string, Map<string | number, number>>();

  constructor(name: string, help: string, labels: readonly [string, string]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  add(first: string, second: string | number): void {
    let counts = this.#counts.get(first);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(first, counts);
    }
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }

  render(): string {
    const [firstLabel, secondLabel] = this.#labels;
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} counter`];
    for (const [first, counts] of this.#counts) {
      for (const [second, count] of counts) {
        const labels = `${firstLabel}="${escapeLabel(first)}",${secondLabel}="${escapeLabel(String(second))}"`;
        lines.push(`${this.#name}{${labels}} ${count}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }
}

type Distribution = { readonly counts: number[]; sum: number; count: number };

class HistogramTally {
  readonly #name: string;
  readonly #help: string;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #distributions = new Map<string, Distribution>();

  /** `bounds` ascend; values above the last one count in the total only. */
  constructor(options: Readonly<{ name: string; help: string; label: string; bounds: readonly number[] }>) {
    this.#name = options.name;
    this.#help = options.help;
    this.#label = options.label;
    this.#bounds = options.bounds;
  }

  observe(labelValue: string, value: number): void {
    let distribution = this.#distributions.get(labelValue);
    if (distribution === undefined) {
      distribution = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
      this.#distributions.set(labelValue, distribution);
    }
    const index = this.#bounds.findIndex((bound) => value <= bound);
    if (index !== -1) distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    distribution.sum += value;
    distribution.count += 1;
  }

  render(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`];
    for (const [labelValue, { counts, sum, count }] of this.#distributions) {
      const label = `${this.#label}="${escapeLabel(labelValue)}"`;
      let cumulative = 0;
      for (const [index, bound] of this.#bounds.entries()) {
        cumulative += counts[index] ?? 0;
        lines.push(`${this.#name}_bucket{${label},le="${bound}"} ${cumulative}`);
      }
      lines.push(`${this.#name}_bucket{${label},le="+Inf"} ${count}`);
      lines.push(`${this.#name}_sum{${label}} ${sum}`, `${this.#name}_count{${label}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
