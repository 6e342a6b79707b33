// GET /admin/v1/health/routes: every route of the live catalog and how it does, those in trouble first. The figures are
// this process's own: each process learns for itself.

import type { Model, Provider } from '../../canonical/model.ts';
import type { RouteHealthAnswer, RouteHealthEntry, RouteState } from '../../contract/health.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { RouteHealth } from '../../modules/routing/route-health.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import type { Clock } from '../../platform/clock.ts';

export type RouteHealthServices = Readonly<{ catalog: Catalog; routing: Routing; clock: Clock }>;

export const readRouteHealth =
  (services: RouteHealthServices): Handler =>
  (exchange) => {
    const nowMs = services.clock.monotonicMs();
    const entries = routesInUse(services).map((used) => entryOf(used, services.routing, nowMs));
    const answer: RouteHealthAnswer = { routes: entries.sort(byTrouble) };
    sendJson(exchange, 200, answer);
  };

type UsedRoute = Readonly<{ provider: Provider; health: RouteHealth; models: string[] }>;

/** Several models may share one route. */
function routesInUse({ catalog, routing }: RouteHealthServices): readonly UsedRoute[] {
  const used = new Map<RouteHealth, UsedRoute>();
  const add = (model: Model): void => {
    for (const { provider, upstreamModel } of catalog.routesOf(model)) {
      const health = routing.healthOf(provider, upstreamModel);
      const known = used.get(health);
      if (known === undefined) used.set(health, { provider, health, models: [model.id] });
      else if (!known.models.includes(model.id)) known.models.push(model.id);
    }
  };
  for (const model of catalog.current().models) add(model);
  return [...used.values()];
}

function entryOf({ provider, health, models }: UsedRoute, routing: Routing, nowMs: number): RouteHealthEntry {
  const isolation = health.isolation(nowMs);
  const { calls, failures } = health.lastMinute(nowMs);
  const { lastError } = health;
  return {
    provider: health.providerName,
    upstreamModel: health.upstreamModel,
    models,
    state: stateOf(health, routing.isQuarantined(provider), nowMs),
    breaker: health.breakerState(nowMs),
    retryInSeconds: isolation === null ? null : Math.ceil(isolation.waitMs / 1_000),
    calls,
    errorRate: calls === 0 ? null : rounded(failures / calls, 3),
    latencyMs: { p50: rounded(health.latencyPercentile(0.5), 1), p95: rounded(health.latencyPercentile(0.95), 1) },
    tokensPerSecond: rounded(health.tokensPerSecond(nowMs), 1),
    lastError:
      lastError === null
        ? null
        : { kind: lastError.kind, at: new Date(lastError.atMs).toISOString(), detail: lastError.detail },
  };
}

function stateOf(health: RouteHealth, isKeyQuarantined: boolean, nowMs: number): RouteState {
  const isolation = health.isolation(nowMs);
  if (health.breakerState(nowMs) === 'half_open') return 'probing';
  if (isolation !== null) return isolation.reason === 'failing' ? 'isolated' : isolation.reason;
  return isKeyQuarantined ? 'suspect' : 'healthy';
}

function rounded<Figure extends number | null>(figure: Figure, decimals: number): Figure {
  return (figure === null ? null : Number(figure.toFixed(decimals))) as Figure;
}

function byTrouble(left: RouteHealthEntry, right: RouteHealthEntry): number {
  const isWell = (entry: RouteHealthEntry): number => (entry.state === 'healthy' ? 1 : 0);
  return (
    isWell(left) - isWell(right) ||
    (right.errorRate ?? 0) - (left.errorRate ?? 0) ||
    left.provider.localeCompare(right.provider) ||
    left.upstreamModel.localeCompare(right.upstreamModel)
  );
}
