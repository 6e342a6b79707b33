// A preference about providers is either understood or refused; it is never ignored silently.

import { expect, test } from 'vitest';
import { parseProviderPreferences as parseOfBody } from './parse-provider-preferences.ts';

const parseProviderPreferences = (provider: unknown) => parseOfBody({ model: 'a', temperature: 1, provider });

const refusal = (message: string) =>
  expect.objectContaining({ code: 'http_400', message: expect.stringContaining(message) });

test('ROUTE-15 every member is read, and what is absent has its default', () => {
  expect(parseProviderPreferences(undefined)).toBeNull();
  expect(parseProviderPreferences({ unknown: 1 })).toEqual({
    order: [],
    only: null,
    ignore: [],
    allowFallbacks: true,
    requiredParameters: null,
    dataCollection: 'allow',
    quantizations: null,
    sort: null,
    sortsAcrossModels: false,
    maxPriceUsd: null,
  });
  const preferences = {
    order: ['a', 'b'],
    only: ['a'],
    ignore: ['c'],
    allow_fallbacks: false,
    require_parameters: true,
    data_collection: 'deny',
    quantizations: ['fp8'],
    sort: 'price',
    max_price: { prompt: 1, completion: 2.5 },
  };
  expect(parseProviderPreferences(preferences)).toEqual({
    order: ['a', 'b'],
    only: ['a'],
    ignore: ['c'],
    allowFallbacks: false,
    requiredParameters: ['temperature'],
    dataCollection: 'deny',
    quantizations: ['fp8'],
    sort: 'price',
    sortsAcrossModels: false,
    maxPriceUsd: { prompt: 1, completion: 2.5 },
  });
});

test('ROUTE-15 a wrong type is refused by name', () => {
  for (const value of ['a', [], 5, true])
    expect(() => parseProviderPreferences(value)).toThrow(refusal('provider must'));
  for (const name of ['order', 'only', 'ignore', 'quantizations']) {
    for (const list of ['a', {}, [1], [null], Array(101).fill('a')]) {
      expect(() => parseProviderPreferences({ [name]: list })).toThrow(refusal(`provider.${name}`));
    }
  }
  for (const name of ['allow_fallbacks', 'require_parameters']) {
    for (const flag of ['true', 1, []]) {
      expect(() => parseProviderPreferences({ [name]: flag })).toThrow(refusal(`provider.${name}`));
    }
  }
  for (const rule of ['maybe', true, 1]) {
    expect(() => parseProviderPreferences({ data_collection: rule })).toThrow(refusal('provider.data_collection'));
  }
  for (const price of [5, [], { prompt: '1' }, { prompt: -1 }, { prompt: Number.POSITIVE_INFINITY }]) {
    expect(() => parseProviderPreferences({ max_price: price })).toThrow(refusal('provider.max_price'));
  }
});

test('ROUTE-17 sort is a word or an object that names one', () => {
  for (const sort of ['price', 'latency', 'throughput'] as const) {
    expect(parseProviderPreferences({ sort })?.sort).toBe(sort);
    expect(parseProviderPreferences({ sort: { by: sort, partition: 'none' } })).toMatchObject({
      sort,
      sortsAcrossModels: true,
    });
    expect(parseProviderPreferences({ sort: { by: sort, partition: 'model' } })?.sortsAcrossModels).toBe(false);
  }
  expect(parseProviderPreferences({ sort: { by: 'a-later-order', partition: 'none' } })).toMatchObject({
    sort: null,
    sortsAcrossModels: false,
  });
  for (const sort of ['cheapest', 5, {}, { by: 5 }, { by: 'price', partition: 5 }, ['price']]) {
    expect(() => parseProviderPreferences({ sort })).toThrow(refusal('provider.sort'));
  }
});
