// Finds a model by a name that may be spelled with dots or hyphens. An exact spelling always wins; a loose one finds
// a model only when it can mean no other.

import type { Model } from '../../canonical/model.ts';
import { spellingOf } from './model-names.ts';

const AMBIGUOUS = Symbol('ambiguous');

export type NameIndex = Readonly<{
  find(name: string): Model | 'ambiguous' | null;
}>;

export function buildNameIndex(models: Iterable<Model>, nameOf: (model: Model) => string): NameIndex {
  const exact = new Map<string, Model | typeof AMBIGUOUS>();
  const loose = new Map<string, Model | typeof AMBIGUOUS>();
  for (const model of models) {
    const name = nameOf(model);
    const spelling = spellingOf(name);
    exact.set(name, exact.has(name) ? AMBIGUOUS : model);
    loose.set(spelling, loose.has(spelling) ? AMBIGUOUS : model);
  }
  return {
    find(name) {
      const found = exact.get(name) ?? loose.get(spellingOf(name)) ?? null;
      return found === AMBIGUOUS ? 'ambiguous' : found;
    },
  };
}
