// Which providers could serve this call, in the order they will be tried. It runs before the reservation, because the
// reservation must cover the dearest candidate; it does no I/O, so nothing is lost when there is none.

import type { Candidate, Model, Provider, ResolvedModel, Route } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { codecOf } from '../upstreams/registry.ts';
import { canServe } from './authorize.ts';
import type { Resolution } from './resolve.ts';

export function route(request: CanonicalRequest, resolution: Resolution, catalog: Catalog): readonly Candidate[] {
  const candidates = candidatesFor(request, resolution.primary, catalog);
  for (const fallback of resolution.fallbacks) {
    if (canServe(fallback.model, request)) candidates.push(...candidatesFor(request, fallback, catalog));
  }
  if (candidates.length > 0) return candidates;
  const { model } = resolution.primary;
  if (model.prices === null && !model.routes.some((known) => known.prices !== null)) {
    throw new ApiError('model_not_priced', `${model.id} has no price and cannot be called.`);
  }
  throw new ApiError('upstream_unavailable', `No upstream is configured for ${model.id}.`, { status: 503 });
}

function candidatesFor(request: CanonicalRequest, resolved: ResolvedModel, catalog: Catalog): Candidate[] {
  const candidates: Candidate[] = [];
  for (const known of catalog.routesOf(resolved.model)) {
    const candidate = candidateOf(request, resolved.model, known);
    if (candidate !== null) candidates.push(candidate);
  }
  return candidates;
}

function candidateOf(request: CanonicalRequest, model: Model, known: Route): Candidate | null {
  const prices = known.prices ?? model.prices;
  if (prices === null || !supports(known.provider, request)) return null;
  return { model, provider: known.provider, upstreamModel: known.upstreamModel, prices, operation: request.operation };
}

function supports(provider: Provider, request: CanonicalRequest): boolean {
  return codecOf(provider, request) !== undefined;
}
