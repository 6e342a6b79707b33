// What a failed attempt means: whether the same provider is asked again, after how long, and which of several failures
// the caller is told.

import type { Model, OwnUpstream } from '../../canonical/model.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { OfferedRoute } from '../../modules/routing/offered-route.ts';
import type { Isolation } from '../../modules/routing/route-health.ts';
import type { Routing } from '../../modules/routing/routing.ts';
import { failureToApiError } from '../../upstreams/failure.ts';
import type { UpstreamFailure } from '../../upstreams/protocol.ts';

const DELAY_MS_MIN = 200;
const DELAY_MS_MAX = 500;

/** A server error or a lost connection that may pass in a moment, where the provider did not say when to come back. */
export function isTransient(failure: UpstreamFailure): boolean {
  if (failure.kind === 'unreachable') return true;
  return failure.kind === 'unavailable' && (failure.retryAfterSeconds === null || failure.retryAfterSeconds === 0);
}

/** The delay is random, so that calls that failed together do not all come back together. */
export function retryDelayMs(random: number): number {
  return DELAY_MS_MIN + random * (DELAY_MS_MAX - DELAY_MS_MIN);
}

/**
 * The failure that the caller is told; null when there was none. A rate limit is told only when every provider had one,
 * with the shortest wait.
 */
export function tellingFailure(failures: readonly UpstreamFailure[]): UpstreamFailure | null {
  const other = failures.findLast(({ kind }) => kind !== 'rate_limited');
  if (other !== undefined) return other;
  const limits = failures.flatMap((failure) => (failure.kind === 'rate_limited' ? [failure] : []));
  return limits.reduce<UpstreamFailure | null>(
    (shortest, limit) => (shortest === null || waitOf(limit) < waitOf(shortest) ? limit : shortest),
    null,
  );
}

function waitOf(failure: UpstreamFailure): number {
  const isLimit = failure.kind === 'rate_limited' && failure.retryAfterSeconds !== null;
  return isLimit ? failure.retryAfterSeconds : Number.POSITIVE_INFINITY;
}

/** The error text of a customer's own upstream may contain anything, its key included, so it is not passed on. */
export function withoutWords(told: UpstreamFailure, own: OwnUpstream | undefined): UpstreamFailure {
  if (own === undefined) return told;
  const failure = { ...told, detail: `at the own upstream ${own.byokKeyId}` };
  if (failure.kind !== 'rejected' || failure.code !== 'unknown_4xx') return failure;
  // Only this kind of refusal names a field, as the upstream spells it.
  return { ...failure, publicMessage: 'The upstream did not accept the request.' };
}

/** Statuses by which a server says that it does not have an endpoint. */
const ABSENT_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

/** Where a route can be asked in another way too, a missing endpoint is not counted against its health. */
export function unlessMissing(failure: UpstreamFailure, status: number): UpstreamFailure {
  if (failure.kind !== 'model_missing' && !ABSENT_STATUSES.has(status)) return failure;
  const publicMessage = 'The provider of this model does not make images this way.';
  return { kind: 'unsupported', code: 'upstream_unavailable', publicMessage, detail: failure.detail };
}

// Errors for calls that no provider can be asked for: 503 where none was tried, unless the providers have already said
// what is wrong.

export function refuseUnrouted(model: Model, isUnpriced: boolean): ApiError {
  if (isUnpriced || (model.prices === null && !model.routes.some((known) => known.prices !== null))) {
    return new ApiError(
      'model_not_priced',
      `${model.id} has no price for this kind of call and cannot be called. Ask the operator of this gateway to set one.`,
    );
  }
  return unavailable(`No upstream is configured for ${model.id}.`, { isTerminal: true });
}

/** The request needs a format that no provider of the model speaks. */
export function refuseUnspoken(model: Model, member: string): ApiError {
  const message = `${member} needs a provider with completions of its own, and no provider of ${model.id} has them.`;
  return new ApiError('unsupported_param', message);
}

/** The caller's own preferences exclude every provider, so trying again changes nothing. */
export function refuseUnfit(model: Model): ApiError {
  const message = `No provider of ${model.id} satisfies the provider preferences of this request.`;
  return unavailable(message, { isTerminal: true });
}

type Unasked = Readonly<{ model: Model; offered: OfferedRoute }>;

/** A call that waited for its reservation while its routes were isolated; some may be free again by now. */
export function refuseUnasked(
  candidates: readonly [Unasked, ...Unasked[]],
  routing: Routing,
  accountId: string,
): ApiError {
  const isolations = candidates.map(({ offered }) => routing.isolation(offered, accountId) ?? PASSED_ISOLATION);
  return refuseIsolated(candidates[0].model, isolations);
}

const PASSED_ISOLATION: Isolation = { reason: 'failing', waitMs: 1_000 };

export function refuseIsolated(model: Model, isolations: readonly Isolation[]): ApiError {
  const retryAfterSeconds = Math.ceil(Math.min(...isolations.map(({ waitMs }) => waitMs)) / 1_000);
  const detail = `all routes of ${model.id} are isolated`;
  if (isolations.every(({ reason }) => reason === 'rate_limited')) {
    return failureToApiError({ kind: 'rate_limited', retryAfterSeconds, detail });
  }
  if (isolations.every(({ reason }) => reason === 'auth_failed')) {
    return failureToApiError({ kind: 'auth_failed', detail });
  }
  const message = `The providers of ${model.id} are failing and are not asked at present. Try again shortly.`;
  return unavailable(message, { retryAfterSeconds, detail });
}

export function unavailable(
  message: string,
  options: Readonly<{ isTerminal?: boolean; retryAfterSeconds?: number; detail?: string }>,
): ApiError {
  return new ApiError('upstream_unavailable', message, { ...options, status: 503 });
}
