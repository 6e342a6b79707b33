// A form shows every setting of the document, and changes nothing but what was typed.

import { expect, test } from 'vitest';
import { ConfigDocument, ModelEntry } from '../../../../../../gateway/src/contract/config.ts';
import { entrySchema, isDeep, keysOf, kindOf, labelOf, type Schema, textsOf, withValue } from './schema.ts';

const model = ModelEntry as unknown as Schema;
const partOf = (schema: Schema, key: string): Schema => schema.properties?.[key] ?? {};

test('every part of the document has a kind of field', () => {
  const kinds = Object.keys(model.properties ?? {}).map((key) => [key, kindOf(partOf(model, key))]);
  expect(Object.fromEntries(kinds)).toMatchObject({
    ...{ name: 'text', context_length: 'number', input_modalities: 'words', output_modalities: 'flags' },
    ...{ pricing: 'group', price_source: 'choice', pricing_tiers: 'list', extras: 'entries', routes: 'list' },
  });
  const document = ConfigDocument as unknown as Schema;
  expect(kindOf(partOf(document, 'markups'))).toBe('entries');
  expect(kindOf(entrySchema(partOf(document, 'providers')))).toBe('group');
  expect(kindOf(entrySchema(partOf(model, 'extras')))).toBe('either');
  expect(isDeep(partOf(document, 'limits'))).toBe(true);
});

test('prices say their unit, which is another one in tiers', () => {
  const pricing = partOf(model, 'pricing');
  const tier = partOf(model, 'pricing_tiers').items ?? {};
  expect(labelOf('prompt', partOf(pricing, 'prompt'), pricing)).toBe('In, USD per 1M tokens');
  expect(labelOf('prompt', partOf(tier, 'prompt'), tier)).toBe('In, USD per token');
  expect(labelOf('image', partOf(model, 'image'), model)).toBe('Image');
  expect(labelOf('base_url', { type: 'string' }, {})).toBe('Base URL');
  const unnamed = Object.keys(pricing.properties ?? {}).filter(
    (key) => !labelOf(key, partOf(pricing, key), pricing).includes('USD per'),
  );
  expect(unnamed).toEqual([]);
});

test('what is emptied goes, what is changed stays in its place, and settings that are not known are shown', () => {
  const values = { a: 1, b: 2, c: 3 };
  expect(Object.entries(withValue(values, 'b', 5))).toEqual([
    ['a', 1],
    ['b', 5],
    ['c', 3],
  ]);
  expect(withValue(values, 'b', undefined)).toEqual({ a: 1, c: 3 });
  const provider = { properties: { protocol: {} }, additionalProperties: { type: 'string' } };
  expect(keysOf(provider, { region: 'x', protocol: 'y' })).toEqual(['protocol', 'region']);
  expect(keysOf({ ...provider, additionalProperties: false }, { region: 'x' })).toEqual(['protocol']);
  expect(textsOf(' a, b\n\nc,')).toEqual(['a', 'b', 'c']);
});
