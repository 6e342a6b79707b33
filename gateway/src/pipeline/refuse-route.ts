// Why nobody can be asked, as the caller is told it: 503 where no provider was tried, except where the providers
// themselves have already said what is wrong and the caller should hear that.

import type { Model } from '../canonical/model.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Isolation } from '../modules/routing/route-health.ts';
import { failureToApiError } from '../upstreams/failure.ts';

export function refuseUnrouted(model: Model, isUnpriced: boolean): ApiError {
  if (isUnpriced || (model.prices === null && !model.routes.some((known) => known.prices !== null))) {
    return new ApiError('model_not_priced', `${model.id} has no price for this kind of call and cannot be called.`);
  }
  return unavailable(`No upstream is configured for ${model.id}.`, { isTerminal: true });
}

/** What is asked for exists in one format alone, which nobody who serves the model speaks. */
export function refuseUnspoken(model: Model, member: string): ApiError {
  const message = `${member} needs a provider with completions of its own, and no provider of ${model.id} has them.`;
  return new ApiError('unsupported_param', message);
}

/** The caller's own wishes exclude everyone. Trying again changes nothing. */
export function refuseUnfit(model: Model): ApiError {
  const message = `No provider of ${model.id} satisfies the provider preferences of this request.`;
  return unavailable(message, { isTerminal: true });
}

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

function unavailable(
  message: string,
  options: Readonly<{ isTerminal?: boolean; retryAfterSeconds?: number; detail?: string }>,
): ApiError {
  return new ApiError('upstream_unavailable', message, { ...options, status: 503 });
}
