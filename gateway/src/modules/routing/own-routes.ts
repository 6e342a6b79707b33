// Customers' own upstreams as routes: each has its own health, and is never compared or mixed with the platform's. The
// result of their calls is also reported, for the customer to see.

import type { Model, OwnUpstream } from '../../canonical/model.ts';
import { NO_PRICES } from '../../canonical/price.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { AttemptFailure, FailureKind } from './failure.ts';
import { findOrAdd } from './health-book.ts';
import { KeyHealth } from './key-health.ts';
import type { OfferedRoute } from './offered-route.ts';
import { type HealthEvents, type Isolation, RouteHealth } from './route-health.ts';

export type OwnRoutes = Readonly<{ offer(model: Model, upstream: OwnUpstream): OfferedRoute }>;

type OwnRoutesOptions = Readonly<{
  clock: Clock;
  metrics: Pick<Metrics, 'routeIsolated'>;
  /** From 0 up to 1. */
  random(): number;
  /** Null when the call went well. */
  report(upstream: OwnUpstream, failure: FailureKind | null): void;
}>;

export function createOwnRoutes({ clock, metrics, random, report }: OwnRoutesOptions): OwnRoutes {
  const routes = new Map<string, RouteHealth>();
  const keys = new Map<string, KeyHealth>();
  const events: HealthEvents = {
    random,
    nowMs: clock.nowMs,
    // The customer sees this in the health of the key; for the operator it is a metric.
    isolated: ({ providerName }, reason) => metrics.routeIsolated(providerName, reason),
    keySetAside: () => undefined,
  };
  return {
    offer(model, upstream) {
      const { byokKeyId, provider, upstreamModel, isStrict } = upstream;
      // A key whose address or mode was changed starts anew.
      const name = [byokKeyId, provider.baseUrl, upstreamModel, isStrict].join('\n');
      const health = findOrAdd(routes, name, () => new OwnRouteHealth(upstream, events, report));
      return {
        model,
        provider,
        upstreamModel,
        prices: NO_PRICES,
        slug: provider.name,
        quantization: '',
        referencePrice: 0,
        health,
        key: findOrAdd(keys, byokKeyId, () => new KeyHealth()),
        peers: [health],
      };
    },
  };
}

class OwnRouteHealth extends RouteHealth {
  readonly #upstream: OwnUpstream;
  readonly #report: OwnRoutesOptions['report'];

  constructor(upstream: OwnUpstream, events: HealthEvents, report: OwnRoutesOptions['report']) {
    super({ providerName: upstream.provider.name, upstreamModel: upstream.upstreamModel }, events);
    this.#upstream = upstream;
    this.#report = report;
  }

  /** A strict upstream is always asked: no other may take its place, and the caller should get its own error. */
  override isolation(nowMs: number, accountId?: string): Isolation | null {
    return this.#upstream.isStrict ? null : super.isolation(nowMs, accountId);
  }

  override succeeded(nowMs: number, begunMs: number, accountId?: string): void {
    super.succeeded(nowMs, begunMs, accountId);
    this.#report(this.#upstream, null);
  }

  override failed(failure: AttemptFailure, failed: Parameters<RouteHealth['failed']>[1], nowMs: number): void {
    super.failed(failure, failed, nowMs);
    this.#report(this.#upstream, failure.kind);
  }
}
