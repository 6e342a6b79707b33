// From the names a caller wrote to the models that may answer, the first choice first. Every spelling ends here: later
// stages see catalog models only, so no alias can slip past a check.

import type { AutoDecision } from '../canonical/generation.ts';
import type { ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { ApiError } from '../errors/api-error.ts';
import { autoTableOf } from '../modules/catalog/resolve.ts';
import { type AutoServices, chooseAuto } from './choose-auto.ts';

export type Resolution = Readonly<{
  primary: ResolvedModel;
  /** Tried in order when the primary fails: the auto tier's others, then the caller's `models` list. */
  fallbacks: readonly ResolvedModel[];
  /** Null where the caller named a model. */
  auto: AutoDecision | null;
}>;

export type ResolveServices = AutoServices;

export function resolve(request: CanonicalRequest, services: ResolveServices, nowMs: number): Resolution {
  const { catalog } = services;
  const options = { allowBareName: request.format === 'chat' || request.format === 'completions', nowMs };
  const table = autoTableOf(catalog.current(), request.modelName);
  const named: Resolution =
    table === null || request.operation !== 'chat'
      ? { primary: catalog.resolve(request.modelName, options), fallbacks: [], auto: null }
      : chooseAuto(request, table, services, nowMs);
  if (request.fallbackModelNames.length === 0) return named;
  const fallbacks = [...named.fallbacks];
  const seen = new Set([named.primary, ...fallbacks].map(({ model }) => model.id));
  for (const name of request.fallbackModelNames) {
    const fallback = resolveFallback(name, catalog, options);
    if (fallback === null || seen.has(fallback.model.id)) continue;
    seen.add(fallback.model.id);
    fallbacks.push(fallback);
  }
  return { ...named, fallbacks };
}

/** A fallback that has been retired is skipped, since the list exists to survive such things; a typing error is not. */
function resolveFallback(
  name: string,
  catalog: ResolveServices['catalog'],
  options: Readonly<{ allowBareName: boolean; nowMs: number }>,
): ResolvedModel | null {
  try {
    return catalog.resolve(name, options);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'model_retired') return null;
    throw error;
  }
}
