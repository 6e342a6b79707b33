// The first leg of a call whose organization brings its own upstream: that upstream is asked before the platform, at no
// price and under no cap. Only when it fails and may be replaced does the call go on to the platform's providers and
// their price.

import type { Caller } from '../canonical/caller.ts';
import type { AttemptEntry } from '../canonical/generation.ts';
import type { Model, OwnUpstream, OwnUpstreams, Resolution, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_PRICES } from '../canonical/price.ts';
import { PLAIN } from '../canonical/request.ts';
import { NO_CAPS } from '../canonical/spend-cap.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Byok } from '../modules/byok/byok.ts';
import type { OwnCalls } from '../modules/limits/own-calls.ts';
import type { OfferedRoute } from '../modules/routing/offered-route.ts';
import type { OwnRoutes } from '../modules/routing/own-routes.ts';
import type { Routing } from '../modules/routing/routing.ts';
import { codecOf } from '../upstreams/registry.ts';
import { unavailable } from './attempts/retry.ts';
import { canServe } from './authorize.ts';
import { type Call, named } from './call.ts';
import { reserve } from './fund.ts';
import { PaidCall, type PaidCallServices } from './paid-call.ts';
import {
  byEveryWay,
  type RoutedCandidate,
  type RouteInput,
  type RouteServices,
  route,
  type Selection,
} from './route.ts';

/** How the first leg ended, as the second leg needs it. */
type OwnLeg = Readonly<{
  /** The client has its answer, or is gone. */
  isOver: boolean;
  upstreams: OwnUpstreams;
  /** Null where the organization has nothing of its own for the model. */
  firstChoice: OfferedRoute | null;
  attempts: readonly AttemptEntry[];
  error: Error | null;
}>;

type OwnLegServices = OwnServices & PaidCallServices;

type OwnLegInput = Readonly<{ exchange: Exchange; call: Call; resolution: Resolution }>;

const NOTHING_OWN: OwnLeg = { isOver: false, upstreams: new Map(), firstChoice: null, attempts: [], error: null };

/** Most callers have no upstream of their own, which is known without I/O. Throws the error of a strict upstream. */
export function askOwn(input: OwnLegInput, services: OwnLegServices): OwnLeg | Promise<OwnLeg> {
  const upstreams = services.byok.upstreamsOf(input.call.caller.accountId);
  if (upstreams instanceof Promise) return upstreams.then((known) => tryOwn(known, input, services));
  return upstreams.size === 0 ? NOTHING_OWN : tryOwn(upstreams, input, services);
}

async function tryOwn(upstreams: OwnUpstreams, input: OwnLegInput, services: OwnLegServices): Promise<OwnLeg> {
  const { caller, request } = input.call;
  const nothing = { ...NOTHING_OWN, upstreams };
  const own = ownCandidates(input.resolution.primary, { request, caller, upstreams }, services);
  if (own === null) return nothing;
  const { firstChoice } = own;
  if (own.candidates.length === 0) return { ...nothing, firstChoice };
  return { ...nothing, firstChoice, ...(await ask(own, input, services)) };
}

async function ask(
  own: OwnCandidates,
  { exchange, call }: OwnLegInput,
  services: OwnLegServices,
): Promise<Pick<OwnLeg, 'isOver' | 'attempts' | 'error'>> {
  const { candidates, firstChoice, isStrict } = own;
  const admitting = services.ownCalls.admit(call.caller);
  if (admitting !== undefined) await admitting;
  const reservation = await reserve(services.ledger, call, [], NO_CAPS);
  const selection: Selection = { candidates, firstChoice, conversation: null };
  const leg = new PaidCall(exchange, call, { reservation, selection, pass: null }, services);
  const failure = await leg.run();
  if (failure === null) return { isOver: true, attempts: [], error: null };
  const error = inOwnWords(failure.error);
  if (isStrict) {
    leg.fail();
    throw named(error, call);
  }
  leg.forget();
  return { isOver: false, attempts: failure.attempts, error };
}

/** The candidates of the second leg: the platform's, and for fallback models also the organization's own. */
export function routeAfterOwn(leg: OwnLeg, input: RouteInput, services: RouteServices & OwnServices): Selection {
  if (leg.upstreams.size === 0) return route(input, services);
  const { firstChoice, attempts: earlierAttempts } = leg;
  try {
    const platform = route(input, services);
    const candidates = withOwnFallbacks(platform.candidates, leg.upstreams, input, services);
    return { ...platform, candidates, earlierAttempts, firstChoice: firstChoice ?? platform.firstChoice };
  } catch (refusal) {
    // The platform has no route for the model, so the client gets the error of its own upstream.
    throw refusal instanceof ApiError && leg.error !== null ? leg.error : refusal;
  }
}

function withOwnFallbacks(
  platform: readonly RoutedCandidate[],
  upstreams: OwnUpstreams,
  { request, resolution, caller }: RouteInput,
  services: OwnServices,
): readonly RoutedCandidate[] {
  let candidates = platform;
  if (!services.ownCalls.hasRoom(caller)) return candidates;
  for (const fallback of resolution.fallbacks) {
    const { model } = fallback;
    if (!upstreams.has(model.id) || !canServe(model, request)) continue;
    const own = ownCandidates(fallback, { request, caller, upstreams }, services);
    if (own === null) continue;
    const index = candidates.findIndex((candidate) => candidate.model === model);
    const place = index === -1 ? candidates.length : index;
    const rest = candidates.slice(place).filter((candidate) => !own.isStrict || candidate.model !== model);
    candidates = [...candidates.slice(0, place), ...own.candidates, ...rest];
  }
  return candidates;
}

const sentences: Readonly<Record<string, string>> = {
  upstream_auth_failed: "Your organization's own upstream did not accept its key.",
  upstream_rate_limited: "Your organization's own upstream is limiting the rate of requests. Try again later.",
  upstream_unavailable: "Your organization's own upstream failed to answer.",
  upstream_unreachable: "Your organization's own upstream could not be reached.",
  unknown_model: "Your organization's own upstream does not know the model that is mapped to it.",
};

/** Adds to the error that it came from the organization's own upstream. */
export function inOwnWords(error: Error): Error {
  if (!(error instanceof ApiError)) return error;
  const { status, retryAfterSeconds } = error;
  return new ApiError(error.code, sentences[error.code] ?? error.message, { status, retryAfterSeconds });
}

// Which of an organization's own upstreams can serve a model for this caller. They cost nothing here, so prices, quotas
// and preferences among providers do not apply to them.

export type OwnServices = Readonly<{
  byok: Pick<Byok, 'upstreamsOf'>;
  ownCalls: Pick<OwnCalls, 'admit' | 'hasRoom'>;
  ownRoutes: OwnRoutes;
  routing: Routing;
}>;

export type OwnCandidates = Readonly<{
  /** In the order of trying; without those that are isolated. */
  candidates: readonly RoutedCandidate[];
  /** The route that would be tried first if all of them worked. */
  firstChoice: OfferedRoute;
  /** The last of them is strict: the platform's routes of the model may not be used. */
  isStrict: boolean;
}>;

type OwnInput = Readonly<{ request: CanonicalRequest; caller: Caller; upstreams: OwnUpstreams }>;

/** Null when the organization has nothing of its own for this model and this key. */
export function ownCandidates(
  resolved: ResolvedModel,
  { request, caller, upstreams }: OwnInput,
  { ownRoutes, routing }: OwnServices,
): OwnCandidates | null {
  const { model, entriesKept } = resolved;
  const usable = usableOf(upstreams.get(model.id) ?? [], model, { caller, request });
  const offered = usable.map((upstream) => ownRoutes.offer(model, upstream));
  const [firstChoice] = offered;
  if (firstChoice === undefined) return null;
  const isOnline = resolved.shortcuts.includes('online');
  const candidates = offered.flatMap((route, index) => {
    const { provider, upstreamModel } = route;
    const own = usable[index];
    if (own === undefined || routing.isolation(route, caller.accountId) !== null) return [];
    const kept = entriesKept === undefined ? {} : { entriesKept };
    const facts = { model, provider, upstreamModel, prices: NO_PRICES, offered: route, isOnline, ...kept };
    return byEveryWay({ ...facts, inspection: PLAIN, freeQuota: null, own }, request);
  });
  return { candidates, firstChoice, isStrict: usable.at(-1)?.isStrict ?? false };
}

/** The list ends with the first strict upstream. */
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
  return unavailable(message, { isTerminal: true });
}
