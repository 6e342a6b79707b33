// GET /api/models/{slug}/routes, and below /api/site for visitors: the health of a model's routes, for people who
// choose a model. Free spellings of a model have the same routes.

import { HOUR_MS } from '../../canonical/calendar.ts';
import type { Model } from '../../canonical/model.ts';
import type { ModelRoute, ModelRoutesAnswer, RouteState } from '../../contract/health.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { HistoryPoint, RouteHistory } from '../../modules/routing/history.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import type { Clock } from '../../platform/clock.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { figuresOf } from '../route-figures.ts';
import { findPublicModel } from './retrieve-model.ts';

type ModelRoutesServices = Readonly<{
  catalog: Catalog;
  routing: Routing;
  routeHistory: RouteHistory;
  clock: Clock;
}>;

/** Why a route is not used is shown only to the operator. */
const STATES: Readonly<Record<RouteState, ModelRoute['state']>> = {
  healthy: 'healthy',
  untried: 'untried',
  failing: 'degraded',
  probing: 'degraded',
  suspect: 'degraded',
  rate_limited: 'degraded',
  isolated: 'unavailable',
  auth_failed: 'unavailable',
};

/** A public page costs the database one question a minute. */
const AGE_MAX_MS = 60_000;
/** For all histories together; a route has one point for each hour of a day. */
const POINTS_MAX = 200_000;

export function readModelRoutes(services: ModelRoutesServices): Handler {
  const cache = new LoadingCache<readonly Day[]>({
    clock: services.clock,
    ageMaxMs: AGE_MAX_MS,
    sizeMax: POINTS_MAX,
    weightOf: (days) => days.reduce((points, { history }) => points + history.length, 1),
  });
  return async (exchange): Promise<void> => {
    const snapshot = services.catalog.current();
    const found = findPublicModel(snapshot, exchange.params.slug ?? '', services.clock.nowMs());
    const model = snapshot.models.find(({ id }) => id === found.canonical_slug);
    const days = model === undefined ? [] : await readDays(model, cache, services);
    const routes = model === undefined ? [] : routesOf(model, days, services);
    sendJson(exchange, 200, { model: found.id, routes } satisfies ModelRoutesAnswer);
  };
}

/** Only where the operator lets everybody read about models. */
export function readPublicModelRoutes(services: ModelRoutesServices): Handler {
  const read = readModelRoutes(services);
  return (exchange) => {
    if (services.catalog.current().accounts.hasPublicModels) return read(exchange);
    throw new ApiError('http_404', 'There is nothing at this address.');
  };
}

/** What one route did in a day, with its hours. */
type Day = Pick<ModelRoute, 'uptime' | 'history'>;

const NO_DAY: Day = { uptime: null, history: [] };

async function readDays(
  model: Model,
  cache: LoadingCache<readonly Day[]>,
  { catalog, routeHistory }: ModelRoutesServices,
): Promise<readonly Day[]> {
  const routes = catalog
    .routesOf(model)
    .map(({ provider, upstreamModel }) => ({ providerName: provider.name, upstreamModel }));
  try {
    const name = JSON.stringify(routes);
    return await cache.find(name, async () => (await routeHistory.read(routes, HOUR_MS)).map(dayOf));
  } catch {
    // The current state is shown even without the history.
    return [];
  }
}

function dayOf(points: readonly HistoryPoint[]): Day {
  const sum = (of: (point: HistoryPoint) => number): number => points.reduce((total, point) => total + of(point), 0);
  return {
    uptime: uptimeOf(
      sum(({ calls }) => calls),
      sum(({ failures }) => failures),
    ),
    history: points.map(({ atMs, calls, failures, latencyMs, tokensPerSecond }) => ({
      at: new Date(atMs).toISOString(),
      uptime: uptimeOf(calls, failures),
      latencyMs: rounded(latencyMs),
      tokensPerSecond: rounded(tokensPerSecond),
    })),
  };
}

const uptimeOf = (calls: number, failures: number): number | null =>
  calls === 0 ? null : Number((1 - failures / calls).toFixed(4));

const rounded = (figure: number | null): number | null => (figure === null ? null : Number(figure.toFixed(1)));

function routesOf(
  model: Model,
  days: readonly Day[],
  { catalog, routing, clock }: ModelRoutesServices,
): readonly ModelRoute[] {
  const nowMs = clock.monotonicMs();
  return catalog.routesOf(model).map(({ provider, upstreamModel }, index) => {
    const health = routing.healthOf(provider, upstreamModel);
    const figures = figuresOf(health, routing.isQuarantined(provider), nowMs);
    const { errorRate, latencyMs, tokensPerSecond } = figures;
    const day = days[index] ?? NO_DAY;
    return {
      provider: health.providerName,
      state: STATES[figures.state],
      errorRate,
      latencyMs,
      tokensPerSecond,
      ...day,
    };
  });
}
