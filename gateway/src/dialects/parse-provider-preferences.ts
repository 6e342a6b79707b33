// The caller's preferences about which providers serve the call. Unknown members are ignored, as everywhere; a known
// member of the wrong type is refused, because ignoring it could send data to a provider that the caller excluded.

import { isJsonObject, isSet, type JsonObject } from '../canonical/json.ts';
import type { ProviderPreferences, ProviderSort } from '../canonical/request.ts';
import { refuseField } from './refuse.ts';
import { usedParameters } from './used-parameters.ts';

const LIST_MAX = 100;
/** Every other partition, and none, keeps the order of the models. */
const ACROSS_MODELS = 'none';
const SORTS: readonly unknown[] = ['price', 'latency', 'throughput'] satisfies ProviderSort[];

/** The `provider` member of a body. Null when the caller has no preferences. */
export function parseProviderPreferences(body: JsonObject): ProviderPreferences | null {
  const value = body.provider;
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw refuseField('provider', 'must be an object');
  const dataCollection = value.data_collection ?? 'allow';
  if (dataCollection !== 'allow' && dataCollection !== 'deny') {
    throw refuseField('provider.data_collection', 'must be allow or deny');
  }
  const sort = readSort(value.sort);
  return {
    order: readList(value, 'order') ?? [],
    only: readList(value, 'only'),
    ignore: readList(value, 'ignore') ?? [],
    allowFallbacks: readFlag(value, 'allow_fallbacks') ?? true,
    requiredParameters: readFlag(value, 'require_parameters') === true ? usedParameters(body) : null,
    dataCollection,
    quantizations: readList(value, 'quantizations'),
    sort,
    sortsAcrossModels: sort !== null && isJsonObject(value.sort) && value.sort.partition === ACROSS_MODELS,
    maxPriceUsd: readMaxPrice(value.max_price),
  };
}

function readList(preferences: JsonObject, name: string): readonly string[] | null {
  const list = preferences[name];
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list) || list.length > LIST_MAX || !list.every((item) => typeof item === 'string')) {
    throw refuseField(`provider.${name}`, `must be an array of at most ${LIST_MAX} strings`);
  }
  return list;
}

function readFlag(preferences: JsonObject, name: string): boolean | null {
  const flag = preferences[name];
  if (flag === undefined || flag === null) return null;
  if (typeof flag !== 'boolean') throw refuseField(`provider.${name}`, 'must be a boolean');
  return flag;
}

function readSort(sort: unknown): ProviderSort | null {
  if (sort === undefined || sort === null) return null;
  if (isJsonObject(sort)) {
    const { by, partition } = sort;
    if (typeof by !== 'string') throw refuseField('provider.sort.by', 'must be a string');
    if (isSet(partition) && typeof partition !== 'string') {
      throw refuseField('provider.sort.partition', 'must be a string');
    }
    // The object form allows further orders; an unknown one leaves ours in place.
    return isSort(by) ? by : null;
  }
  if (!isSort(sort)) throw refuseField('provider.sort', 'must be price, latency, throughput or an object');
  return sort;
}

function isSort(value: unknown): value is ProviderSort {
  return SORTS.includes(value);
}

function readMaxPrice(prices: unknown): Readonly<Record<string, number>> | null {
  if (prices === undefined || prices === null) return null;
  if (!isJsonObject(prices)) throw refuseField('provider.max_price', 'must be an object of numbers');
  const entries = Object.entries(prices);
  for (const [, price] of entries) {
    if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) {
      throw refuseField('provider.max_price', 'must be an object of numbers that are not negative');
    }
  }
  return Object.fromEntries(entries) as Record<string, number>;
}
