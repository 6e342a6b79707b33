// Finds a model by a name that may be spelled with dots or hyphens. An exact spelling always wins; a loose one finds
// a model only when it can mean no other.

import type { Model } from '../../canonical/model.ts';
import { spellingOf } from './model-names.ts';

type Entry = Model | 'ambiguous';

export type NameIndex = Readonly<{
  find(name: string): Model | 'ambiguous' | null;
}>;

export function buildNameIndex(models: Iterable<Model>, nameOf: (model: Model) => string): NameIndex {
  const exact = new Map<string, Entry>();
  // Only names with a dot are listed here; the others are their own loose spelling, which keeps large catalogs smaller.
  const dotted = new Map<string, Entry>();
  for (const model of models) {
    const name = nameOf(model);
    exact.set(name, exact.has(name) ? 'ambiguous' : model);
    const spelling = spellingOf(name);
    if (spelling !== name) dotted.set(spelling, dotted.has(spelling) ? 'ambiguous' : model);
  }
  return {
    find(name) {
      const found = exact.get(name);
      if (found !== undefined) return found;
      const spelling = spellingOf(name);
      const hyphenated = exact.get(spelling);
      const other = dotted.get(spelling);
      return hyphenated !== undefined && other !== undefined ? 'ambiguous' : (hyphenated ?? other ?? null);
    },
  };
}
