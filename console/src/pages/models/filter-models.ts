// Which models a search shows, and in which order. Every word must occur somewhere in the id, the name or the
// description; prices are compared as numbers for the order and the bounds alone.

import { type Model, PURPOSES, type Purpose, purposeOf } from '../../api/models.ts';
import type { MODEL_FILTERS } from '../../search.ts';
import { ABILITIES, type Ability, abilitiesOf } from './abilities.ts';

export type ModelOrder = 'name' | 'price' | 'context' | 'newest';

export type ModelFilter = Readonly<{
  text: string;
  purpose: Purpose | 'all';
  /** An input that it must take besides text; empty for any. */
  input: string;
  /** An ability that it must have; empty for any. */
  ability: Ability | '';
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
  ability: '',
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
      if (filter.ability !== '' && !abilitiesOf(model).includes(filter.ability)) return false;
      if ((model.context_length ?? 0) < filter.contextMin) return false;
      if (filter.priceMax !== null && !costsAtMost(model, filter.priceMax)) return false;
      return filter.provider === 'all' || model.owned_by === filter.provider;
    })
    .toSorted(ORDERS[filter.order]);
}

/** A model that is paid by the picture or the second has no input price to compare, and is not free either. */
function costsAtMost({ id, pricing }: Model, priceMax: number): boolean {
  const price = Number(pricing.prompt);
  return price > 0 ? price <= priceMax : id.endsWith(':free');
}

export const providersOf = (models: readonly Model[]): readonly string[] =>
  [...new Set(models.map((model) => model.owned_by))].toSorted();

// A filter in the page's address, so that it can be sent to others and restored by the browser's back button. Default
// values are left out; invalid values count as left out.

export type FilterSearch = Partial<Record<(typeof MODEL_FILTERS)[number], string>>;

export function filterOf(search: FilterSearch): ModelFilter {
  const amount = (text: string | undefined): number | null =>
    text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  const known = <Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined =>
    values.find((value) => value === text);
  return {
    text: search.q ?? '',
    purpose: known(PURPOSES, search.makes) ?? 'all',
    input: search.takes ?? '',
    ability: known(ABILITIES, search.can) ?? '',
    provider: search.provider ?? 'all',
    priceMax: amount(search.price),
    contextMin: amount(search.context) ?? 0,
    order: known(Object.keys(ORDERS) as ModelOrder[], search.order) ?? 'name',
  };
}

export function searchOf(filter: ModelFilter): FilterSearch {
  const said = (value: string, usual: string): string | undefined => (value === usual ? undefined : value);
  return {
    q: said(filter.text, ''),
    makes: said(filter.purpose, 'all'),
    takes: said(filter.input, ''),
    can: said(filter.ability, ''),
    provider: said(filter.provider, 'all'),
    price: filter.priceMax === null ? undefined : String(filter.priceMax),
    context: said(String(filter.contextMin), '0'),
    order: said(filter.order, 'name'),
  } as FilterSearch;
}
