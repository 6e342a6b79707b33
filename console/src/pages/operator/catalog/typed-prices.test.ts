import { expect, test } from 'vitest';
import { withTypedDocument, withTypedPrices } from './typed-prices.ts';

const model = { name: 'One', pricing: { prompt: '0.15', completion: '0.6' }, price_source: 'book' };

test('a typed price is no longer one of the price book, which would overwrite it', () => {
  const pricing = { prompt: '0.2', completion: '0.6' };
  expect(withTypedPrices(model, { ...model, pricing })).toEqual({ name: 'One', pricing });
  const pricing_tiers = [{ above_prompt_tokens: 1_000, prompt: '0.0000003', completion: '0.0000012' }];
  expect(withTypedPrices(model, { ...model, pricing_tiers })).not.toHaveProperty('price_source');
});

test('what else is changed leaves the source of prices as it is', () => {
  expect(withTypedPrices(model, { ...model, name: 'Two' })).toEqual({ ...model, name: 'Two' });
  expect(withTypedPrices({}, model)).toEqual(model);
  expect(withTypedPrices(model, undefined)).toBeUndefined();
});

test('so is one that is typed in the whole document, however much of that can be read', () => {
  const other = { ...model, name: 'Other' };
  const before = { models: { 'a/one': model, 'a/other': other } };
  const pricing = { prompt: '0.2', completion: '0.6' };
  expect(withTypedDocument(before, { models: { 'a/one': { ...model, pricing }, 'a/other': other } })).toEqual({
    models: { 'a/one': { name: 'One', pricing }, 'a/other': other },
  });
  for (const typed of [null, {}, { models: 1 }, { models: { 'a/one': null } }]) {
    expect(withTypedDocument(before, typed)).toEqual(typed);
  }
});
