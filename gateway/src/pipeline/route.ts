// Chooses the candidates of a call and their order: the working routes of the model and of its fallbacks that can and
// may take the request. It runs before the reservation, which must cover the dearest candidate, and does no I/O.

import type { Caller } from '../canonical/caller.ts';
import type { AttemptEntry } from '../canonical/generation.ts';
import type { Model, Resolution, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { isPricedFor } from '../canonical/price.ts';
import type { Inspection } from '../canonical/request.ts';
import { conversationKey } from '../dialects/conversation-key.ts';
import { refuseCompaction } from '../dialects/refuse.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';
import { FREE_QUOTA_DEFAULT } from '../modules/catalog/snapshot.ts';
import type { OfferedRoute } from '../modules/routing/offered-route.ts';
import type { Isolation } from '../modules/routing/route-health.ts';
import { type ConversationIdentity, type Routing, sortOf } from '../modules/routing/routing.ts';
import { carriedExtras } from '../upstreams/paid-extras.ts';
import type { CodecRoute } from '../upstreams/protocol.ts';
import { codecOf, isForPictures, waysOf } from '../upstreams/registry.ts';
import { refuseIsolated, refuseUnfit, refuseUnrouted, refuseUnspoken } from './attempts/retry.ts';
import { canServe } from './authorize.ts';
import { type InspectedCandidate, inspect, pricesFor } from './forward.ts';

/** A candidate with the route it was made from, so that dispatch can ask for its health and report on it. */
export type RoutedCandidate = InspectedCandidate &
  Readonly<{
    offered: OfferedRoute;
    /** Where the provider has several keys: the ones that this call was sent with, the latest last. */
    keysTried?: readonly string[];
    /** The same route follows as another candidate that is asked at another endpoint. */
    hasOtherWay?: boolean;
    /** The model's free quota for each user; null when it has none. */
    freeQuota: Model['free'];
  }>;

export type Selection = Readonly<{
  candidates: readonly RoutedCandidate[];
  /**
   * An answer of any other route counts as a failover. Null when the caller's preferences exclude every route of the
   * first model.
   */
  firstChoice: OfferedRoute | null;
  /** Null where there is one route only, or where the caller chose the provider. */
  conversation: ConversationIdentity | null;
  /** Attempts at the organization's own upstream, which belong to the record of the call. */
  earlierAttempts?: readonly AttemptEntry[];
}>;

export type RouteInput = Readonly<{ request: CanonicalRequest; resolution: Resolution; caller: Caller }>;

export type RouteServices = Readonly<{ catalog: Pick<Catalog, 'routesOf'>; routing: Routing }>;

export function route(input: RouteInput, services: RouteServices): Selection {
  const { request, resolution } = input;
  const inspection = inspect(request);
  const primary = offerOf(resolution.primary, request, services);
  const [first] = primary.routes;
  const isPlain = resolution.fallbacks.length === 0 && request.preferences === null;
  if (isPlain && primary.routes.length === 1 && first !== undefined)
    return selectOnly(first, input, inspection, services);
  const offers = [primary];
  for (const fallback of resolution.fallbacks) {
    if (canServe(fallback.model, request)) offers.push(offerOf(fallback, request, services));
  }
  if (offers.every(({ routes }) => routes.length === 0)) {
    if (request.format === 'completions' && request.nativeMember !== undefined) {
      throw refuseUnspoken(resolution.primary.model, request.nativeMember);
    }
    if (request.operation === 'chat' && request.isCompaction) throw refuseCompaction('Compaction');
    throw refuseUnrouted(
      resolution.primary.model,
      offers.some(({ isUnpriced }) => isUnpriced),
    );
  }
  return select(offers, input, inspection, services);
}

type Offer = Readonly<{
  resolved: ResolvedModel;
  routes: readonly OfferedRoute[];
  /** A route could serve the model, but it has no price. */
  isUnpriced: boolean;
}>;

function offerOf(resolved: ResolvedModel, request: CanonicalRequest, { catalog, routing }: RouteServices): Offer {
  const routes = routing.offer(resolved.model, catalog.routesOf(resolved.model));
  const canTake = (offered: OfferedRoute): boolean => codecOf(offered, request) !== undefined;
  const able = routes.every(canTake) ? routes : routes.filter(canTake);
  const { operation } = request;
  const kind = operation === 'chat' && isForPictures(resolved.model, request) ? 'chat-images' : operation;
  const isPriced = ({ prices }: OfferedRoute): boolean => isPricedFor(prices, kind);
  const priced = able.every(isPriced) ? able : able.filter(isPriced);
  return { resolved, routes: priced, isUnpriced: priced.length < able.length };
}

/** Most models have one route: there is nothing to weigh. */
function selectOnly(
  only: OfferedRoute,
  { request, resolution, caller }: RouteInput,
  inspection: Inspection,
  { routing }: RouteServices,
): Selection {
  const isolation = routing.isolation(only, caller.accountId);
  if (isolation !== null) throw refuseIsolated(only.model, [isolation]);
  const candidates = byEveryWay(candidateOf(only, request, inspection, resolution.primary), request);
  return { candidates, firstChoice: only, conversation: null };
}

function select(
  offers: readonly Offer[],
  input: RouteInput,
  inspection: Inspection,
  { routing }: RouteServices,
): Selection {
  const { request, resolution, caller } = input;
  const { preferences } = request;
  const { accountId } = caller;
  const conversation = conversationOf(offers, input);
  const groups = preferences?.sortsAcrossModels ? [together(offers, resolution)] : offers;
  const candidates: RoutedCandidate[] = [];
  const isolations: Isolation[] = [];
  let firstChoice: OfferedRoute | null = null;
  for (const [index, { resolved, routes }] of groups.entries()) {
    const sort = sortOf(resolved, preferences);
    const choice = routing.choose({ offered: routes, preferences, sort, request, conversation, accountId });
    if (index === 0) firstChoice = choice.firstChoice;
    for (const chosen of choice.routes) {
      candidates.push(...byEveryWay(candidateOf(chosen, request, inspection, resolvedOf(chosen, offers)), request));
    }
    isolations.push(...choice.isolations);
  }
  if (candidates.length > 0) return { candidates, firstChoice, conversation };
  const { model } = resolution.primary;
  throw isolations.length > 0 ? refuseIsolated(model, isolations) : refuseUnfit(model);
}

/** Puts the routes of all models into one order, as if they belonged to one model. */
function together(offers: readonly Offer[], { primary }: Resolution): Offer {
  return { resolved: primary, routes: offers.flatMap(({ routes }) => routes), isUnpriced: false };
}

/** A conversation stays with one provider only where the caller leaves the choice to us. */
function conversationOf(
  offers: readonly Offer[],
  { request, resolution, caller }: RouteInput,
): ConversationIdentity | null {
  if (request.operation !== 'chat') return null;
  const { preferences } = request;
  const isOrdered = preferences !== null && preferences.order.length > 0;
  if (isOrdered || sortOf(resolution.primary, preferences) !== null) return null;
  if (!offers.some(({ routes }) => routes.length > 1)) return null;
  const { digest, isSession } = conversationKey(request.body);
  return { key: `${caller.accountId} ${resolution.primary.model.id} ${digest}`, isSession };
}

function resolvedOf({ model }: OfferedRoute, offers: readonly Offer[]): ResolvedModel | undefined {
  return offers.find(({ resolved }) => resolved.model === model)?.resolved;
}

function candidateOf(
  offered: OfferedRoute,
  request: CanonicalRequest,
  inspection: Inspection,
  resolved: ResolvedModel | undefined,
): RoutedCandidate {
  const { model, provider, upstreamModel } = offered;
  const prices = pricesAt(offered, request, inspection);
  const isOnline = resolved?.shortcuts.includes('online') ?? false;
  const freeQuota = model.free ?? (resolved?.isFreeVariant ? FREE_QUOTA_DEFAULT : null);
  const candidate = { model, provider, upstreamModel, prices, offered, isOnline, inspection, freeQuota };
  return resolved?.entriesKept === undefined ? candidate : { ...candidate, entriesKept: resolved.entriesKept };
}

/** What the call costs there, with the extras that the provider will be asked for; nearly all calls ask for none. */
function pricesAt(
  route: CodecRoute & Pick<OfferedRoute, 'model' | 'prices'>,
  request: CanonicalRequest,
  { extras }: Inspection,
): OfferedRoute['prices'] {
  if (extras.length === 0 && request.operation !== 'images') return route.prices;
  const codec = codecOf(route, request);
  if (codec?.omitsExtras === true) return route.prices;
  return pricesFor(request, carriedExtras(extras, request.format, codec?.format ?? request.format), route);
}

/** A route that can be asked in several ways becomes one candidate for each way; nearly all routes have one. */
export function byEveryWay(candidate: RoutedCandidate, request: CanonicalRequest): readonly RoutedCandidate[] {
  const ways = waysOf(candidate, request);
  if (ways.length === 1) return [candidate];
  const { offered, inspection, own } = candidate;
  const isElsewhere = request.operation !== 'transcription';
  return ways.map((way, index) => {
    const prices = own === undefined ? pricesAt({ ...offered, way }, request, inspection) : candidate.prices;
    return { ...candidate, way, prices, hasOtherWay: isElsewhere && index < ways.length - 1 };
  });
}
