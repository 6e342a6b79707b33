// GET /api/models/{slug}/routes: how those who serve a model do, for people who choose one. Free spellings of a model are
// served by the same routes.

import type { Model } from '../../canonical/model.ts';
import type { ModelRoute, ModelRoutesAnswer, RouteState } from '../../contract/health.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import type { Clock } from '../../platform/clock.ts';
import { figuresOf } from '../route-figures.ts';
import { findPublicModel } from './retrieve-model.ts';

type ModelRoutesServices = Readonly<{ catalog: Catalog; routing: Routing; clock: Clock }>;

/** Why a route is not asked is the operator's concern. */
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

export const readModelRoutes =
  (services: ModelRoutesServices): Handler =>
  (exchange) => {
    const snapshot = services.catalog.current();
    const found = findPublicModel(snapshot, exchange.params.slug ?? '', services.clock.nowMs());
    const model = snapshot.models.find(({ id }) => id === found.canonical_slug);
    const answer: ModelRoutesAnswer = { model: found.id, routes: model === undefined ? [] : routesOf(model, services) };
    sendJson(exchange, 200, answer);
  };

function routesOf(model: Model, { catalog, routing, clock }: ModelRoutesServices): readonly ModelRoute[] {
  const nowMs = clock.monotonicMs();
  return catalog.routesOf(model).map(({ provider, upstreamModel }) => {
    const health = routing.healthOf(provider, upstreamModel);
    const figures = figuresOf(health, routing.isQuarantined(provider), nowMs);
    const { errorRate, latencyMs, tokensPerSecond } = figures;
    return { provider: health.providerName, state: STATES[figures.state], errorRate, latencyMs, tokensPerSecond };
  });
}
