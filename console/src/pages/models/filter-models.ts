// Which models a search shows, and in which order. Every word must occur somewhere in the id, the name or the
// description; prices are compared as numbers for the order and the bounds alone.

import { type Model, type Purpose, purposeOf } from '../../api/models.ts';

export type ModelOrder = 'name' | 'price' | 'context' | 'newest';

export type ModelFilter = Readonly<{
  text: string;
  purpose: Purpose | 'all';
  /** What it must take besides text; empty for anything. */
  input: string;
  provider: string;
  /** USD per million tokens of input, at most; null for any price. */
  priceMax: number | null;
  contextMin: number;
  order: ModelOrder;
}>;

export const NO_FILTER: ModelFilter = {
  text: '',
  purpose: 'all',
  input: '',
  provider: 'all',
  priceMax: null,
  contextMin: 0,
  order: 'name',
};

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
      if (filter.input !== '' && !model.architecture.input_modalities.includes(filter.input)) return false;
      if ((model.context_length ?? 0) < filter.contextMin) return false;
      if (filter.priceMax !== null && !costsAtMost(model, filter.priceMax)) return false;
      return filter.provider === 'all' || model.owned_by === filter.provider;
    })
    .toSorted(ORDERS[filter.order]);
}

/** A model that is paid by the picture or the second has no price of input to compare, and is not for nothing either. */
function costsAtMost({ id, pricing }: Model, priceMax: number): boolean {
  const price = Number(pricing.prompt);
  return price > 0 ? price <= priceMax : id.endsWith(':free');
}

export const providersOf = (models: readonly Model[]): readonly string[] =>
  [...new Set(models.map((model) => model.owned_by))].toSorted();
