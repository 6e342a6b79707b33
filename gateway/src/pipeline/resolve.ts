// From the names a caller wrote to the models that may answer, the first choice first. Every spelling ends here: later
// stages see catalog models only, so no alias can slip past a check.

import type { ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Catalog } from '../modules/catalog/catalog.ts';

export type Resolution = Readonly<{
  primary: ResolvedModel;
  /** The caller's `models` list: tried in order when the primary fails. */
  fallbacks: readonly ResolvedModel[];
}>;

export function resolve(request: CanonicalRequest, catalog: Catalog, nowMs: number): Resolution {
  const options = { allowBareName: request.operation === 'chat', nowMs };
  const primary = catalog.resolve(request.modelName, options);
  if (request.fallbackModelNames.length === 0) return { primary, fallbacks: [] };
  const fallbacks: ResolvedModel[] = [];
  const seen = new Set([primary.model.id]);
  for (const name of request.fallbackModelNames) {
    const fallback = resolveFallback(name, catalog, options);
    if (fallback === null || seen.has(fallback.model.id)) continue;
    seen.add(fallback.model.id);
    fallbacks.push(fallback);
  }
  return { primary, fallbacks };
}

/** A fallback that has been retired is skipped, since the list exists to survive such things; a typing error is not. */
function resolveFallback(
  name: string,
  catalog: Catalog,
  options: Readonly<{ allowBareName: boolean; nowMs: number }>,
): ResolvedModel | null {
  try {
    return catalog.resolve(name, options);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'model_retired') return null;
    throw error;
  }
}
