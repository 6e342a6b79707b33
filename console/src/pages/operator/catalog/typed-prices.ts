// Prices that an operator typed are not those of the price book any more, and are never overwritten by it.

import { isValues } from './forms/schema.ts';

const pricesOf = (entry: unknown): string =>
  isValues(entry) ? JSON.stringify([entry.pricing ?? {}, entry.pricing_tiers ?? []]) : '';

/** The edited model without the word that its prices are from elsewhere, where others were typed. */
export function withTypedPrices(before: unknown, edited: unknown): unknown {
  if (!isValues(before) || !isValues(edited) || pricesOf(before) === pricesOf(edited)) return edited;
  const { price_source: source, ...typed } = edited;
  return source === before.price_source ? typed : edited;
}

/** The same for every model of a document, of which any part may have been typed. */
export function withTypedDocument(before: unknown, edited: unknown): unknown {
  if (!isValues(before) || !isValues(edited) || !isValues(edited.models)) return edited;
  const live = isValues(before.models) ? before.models : {};
  const models = Object.entries(edited.models).map(([id, entry]) => [id, withTypedPrices(live[id], entry)]);
  return { ...edited, models: Object.fromEntries(models) };
}
