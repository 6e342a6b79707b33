// Which of an organization's own upstreams could serve a model for this caller. They cost nothing here, so nothing of
// what the platform's candidates bring along (prices, quotas, preferences among providers) applies to them.

import type { Caller } from '../canonical/caller.ts';
import { PLAIN } from '../canonical/forwarding.ts';
import type { Model, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { OwnUpstream, OwnUpstreams } from '../canonical/own-upstream.ts';
import { NO_PRICES } from '../canonical/price.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Byok } from '../modules/byok/byok.ts';
import type { OfferedRoute } from '../modules/routing/offered-route.ts';
import type { OwnRoutes } from '../modules/routing/own-routes.ts';
import type { Routing } from '../modules/routing/routing.ts';
import { codecOf } from '../upstreams/registry.ts';
import { byEveryWay, type RoutedCandidate } from './route.ts';

export type OwnServices = Readonly<{ byok: Pick<Byok, 'upstreamsOf'>; ownRoutes: OwnRoutes; routing: Routing }>;

export type OwnCandidates = Readonly<{
  /** In the order of trying; without those that are isolated. */
  candidates: readonly RoutedCandidate[];
  /** Who would be asked first if everyone were well. */
  firstChoice: OfferedRoute;
  /** The last of them is strict: the platform's routes of the model are out of the question. */
  isStrict: boolean;
}>;

export type OwnInput = Readonly<{ request: CanonicalRequest; caller: Caller; upstreams: OwnUpstreams }>;

/** Null when the organization has nothing of its own for this model and this key. */
export function ownCandidates(
  resolved: ResolvedModel,
  { request, caller, upstreams }: OwnInput,
  { ownRoutes, routing }: OwnServices,
): OwnCandidates | null {
  const { model } = resolved;
  const usable = usableOf(upstreams.get(model.id) ?? [], model, { caller, request });
  const offered = usable.map((upstream) => ownRoutes.offer(model, upstream));
  const [firstChoice] = offered;
  if (firstChoice === undefined) return null;
  const isOnline = resolved.shortcuts.includes('online');
  const candidates = offered.flatMap((route, index) => {
    const { provider, upstreamModel } = route;
    const own = usable[index];
    if (own === undefined || routing.isolation(route) !== null) return [];
    const { operation } = request;
    const facts = { model, provider, upstreamModel, prices: NO_PRICES, operation, offered: route, isOnline };
    return byEveryWay({ ...facts, inspection: PLAIN, freeQuota: null, own }, request);
  });
  return { candidates, firstChoice, isStrict: usable.at(-1)?.isStrict ?? false };
}

/** Nothing comes after a strict one. */
function usableOf(
  listed: readonly OwnUpstream[],
  model: Model,
  { caller, request }: Pick<OwnInput, 'caller' | 'request'>,
): readonly OwnUpstream[] {
  const usable: OwnUpstream[] = [];
  for (const upstream of listed) {
    if (upstream.scopedKeyIds !== null && !upstream.scopedKeyIds.has(caller.keyId)) continue;
    if (codecOf({ ...upstream, model }, request) === undefined) {
      if (upstream.isStrict) throw unfit();
      continue;
    }
    usable.push(upstream);
    if (upstream.isStrict) break;
  }
  return usable;
}

function unfit(): ApiError {
  const message = "Your organization's own upstream of this model does not take calls of this kind.";
  return new ApiError('upstream_unavailable', message, { status: 503, isTerminal: true });
}
