// Compares a key's mappings with the two lists that they connect: our catalog, and the models that the upstream names.

import type { Mapping } from './store.ts';

type Sync = Readonly<{
  matched: readonly string[];
  /** Not in the catalog, so nobody can call them. */
  unmatched: readonly string[];
  /** In the catalog, but the upstream does not list the model that they are mapped to. */
  stale: readonly string[];
}>;

/** `listed` is null where the upstream does not say what it has; then nothing counts as stale. */
export function compareMappings(
  mappings: readonly Mapping[],
  isInCatalog: (modelId: string) => boolean,
  listed: ReadonlySet<string> | null,
): Sync {
  const matched: string[] = [];
  const unmatched: string[] = [];
  const stale: string[] = [];
  for (const { model, upstreamModel } of mappings) {
    if (!isInCatalog(model)) unmatched.push(model);
    else if (listed !== null && !listed.has(upstreamModel)) stale.push(model);
    else matched.push(model);
  }
  return { matched, unmatched, stale };
}
