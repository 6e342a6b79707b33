// GET /admin/v1/health/routes: every route of the live catalog and its health, those in trouble first. The figures are
// this process's own, because each process learns by itself.

import type { Model, Provider } from '../../canonical/model.ts';
import type { RouteHealthAnswer, RouteHealthEntry } from '../../contract/health.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { RouteHealth } from '../../modules/routing/route-health.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import type { Clock } from '../../platform/clock.ts';
import { figuresOf } from '../route-figures.ts';

export type RouteHealthServices = Readonly<{ catalog: Catalog; routing: Routing; clock: Clock }>;

export const readRouteHealth =
  (services: RouteHealthServices): Handler =>
  (exchange) => {
    const nowMs = services.clock.monotonicMs();
    const entries = routesInUse(services).map((used) => entryOf(used, services.routing, nowMs));
    const answer: RouteHealthAnswer = { routes: entries.sort(byTrouble) };
    sendJson(exchange, 200, answer);
  };

/** Routes that are not used, or only now and then. */
export function routesInTrouble(services: RouteHealthServices): readonly RouteHealthEntry[] {
  const nowMs = services.clock.monotonicMs();
  const entries = routesInUse(services).map((used) => entryOf(used, services.routing, nowMs));
  return entries.filter(({ state }) => state !== 'healthy' && state !== 'untried');
}

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
  const { lastError } = health;
  return {
    provider: health.providerName,
    upstreamModel: health.upstreamModel,
    models,
    ...figuresOf(health, routing.isQuarantined(provider), nowMs),
    breaker: health.switchState(nowMs),
    retryInSeconds: isolation === null ? null : Math.ceil(isolation.waitMs / 1_000),
    lastError:
      lastError === null
        ? null
        : { kind: lastError.kind, at: new Date(lastError.atMs).toISOString(), detail: lastError.detail },
  };
}

/** States without a known problem. */
const WELL: ReadonlySet<RouteHealthEntry['state']> = new Set(['healthy', 'untried']);

function byTrouble(left: RouteHealthEntry, right: RouteHealthEntry): number {
  const isWell = (entry: RouteHealthEntry): number => (WELL.has(entry.state) ? 1 : 0);
  return (
    isWell(left) - isWell(right) ||
    (right.errorRate ?? 0) - (left.errorRate ?? 0) ||
    left.provider.localeCompare(right.provider) ||
    left.upstreamModel.localeCompare(right.upstreamModel)
  );
}
