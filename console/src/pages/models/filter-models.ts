// Which models a search shows, and in which order. Every word must occur somewhere in the id, the name or the
// description; prices are compared as numbers for the order alone.

import { type Model, type Purpose, purposeOf } from '../../api/models.ts';

export type ModelOrder = 'name' | 'price' | 'context' | 'newest';

export type ModelFilter = Readonly<{ text: string; purpose: Purpose | 'all'; provider: string; order: ModelOrder }>;

export const NO_FILTER: ModelFilter = { text: '', purpose: 'all', provider: 'all', order: 'name' };

const ORDERS: Readonly<Record<ModelOrder, (left: Model, right: Model) => number>> = {
  name: (left, right) => left.id.localeCompare(right.id),
  price: (left, right) => Number(left.pricing.prompt) - Number(right.pricing.prompt),
  context: (left, right) => (right.context_length ?? 0) - (left.context_length ?? 0),
  newest: (left, right) => right.created - left.created,
};

export function filterModels(models: readonly Model[], filter: ModelFilter): readonly Model[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .filter((model) => {
      const text = `${model.id} ${model.name} ${model.description ?? ''}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) return false;
      if (filter.purpose !== 'all' && purposeOf(model) !== filter.purpose) return false;
      return filter.provider === 'all' || model.owned_by === filter.provider;
    })
    .toSorted(ORDERS[filter.order]);
}

export const providersOf = (models: readonly Model[]): readonly string[] =>
  [...new Set(models.map((model) => model.owned_by))].toSorted();
