// A vendor's list of models with its prices, as vendors write it: in USD per token or per million, with prices for long
// prompts, for certain hours, for sound and pictures, and with zeros that mean nothing.

import { expect, test } from 'vitest';
import type { ListedPrices } from './read-listed-prices.ts';
import { readListing } from './read-listing.ts';

const pricingOf = (stated: object, form: ListedPrices = 'usd-per-token') =>
  readListing(Buffer.from(JSON.stringify({ data: [{ id: 'm', ...stated }] })), form)?.[0]?.pricing;

const PLAIN = { prompt: '0.000001', completion: '0.000002' };
const PER_MILLION = { prompt: '1', completion: '2' };

test('CAT-20 prices per token are read as prices per million, and zeros that do not apply are none', () => {
  const pricing = {
    ...PLAIN,
    ...{ request: '0', image: '0', web_search: '0.01', input_cache_read: '0.0000001' },
    ...{ input_cache_write: '0.00000125', input_cache_write_1h: '0.000002', discount: 0 },
  };
  expect(pricingOf({ pricing })).toEqual({
    base: { ...PER_MILLION, cache_read: '0.1', cache_write: '1.25', cache_write_1h: '2', web_search: '0.01' },
    tiers: [],
    apart: {},
  });
});

test('BILL-11 prices of long prompts become tiers, which inherit what they do not state', () => {
  const overrides = [
    { min_prompt_tokens: 500_000, prompt: '0.000004' },
    { min_prompt_tokens: 200_000, prompt: '0.0000025', completion: '0.000009', input_cache_read: '0.00000025' },
  ];
  expect(pricingOf({ pricing: { ...PLAIN, input_cache_read: '0.0000000125', overrides } })).toEqual({
    base: { ...PER_MILLION, cache_read: '0.0125' },
    tiers: [
      { above_prompt_tokens: 200_000, prompt: '0.0000025', completion: '0.000009', cache_read: '0.00000025' },
      { above_prompt_tokens: 500_000, prompt: '0.000004', completion: '0.000009', cache_read: '0.00000025' },
    ],
    apart: {},
  });
});

test('BILL-11 prices on another condition hold where they are dearer', () => {
  const overrides = [
    { utc_start: 0, utc_end: 800, prompt: '0.000003', completion: '0.000001' },
    { min_prompt_tokens: 1_000, utc_days: ['sunday'], prompt: '0.000002', completion: '0.000008' },
  ];
  expect(pricingOf({ pricing: { ...PLAIN, overrides } })).toEqual({
    base: { prompt: '3', completion: '2' },
    tiers: [{ above_prompt_tokens: 1_000, prompt: '0.000003', completion: '0.000008' }],
    apart: {},
  });
});

test('BILL-11 prices on another condition hold for long prompts too, where they are dearer', () => {
  const overrides = [
    { utc_start: 0, utc_end: 800, prompt: '0.000004' },
    { min_prompt_tokens: 200_000, prompt: '0.000003', completion: '0.000005' },
  ];
  expect(pricingOf({ pricing: { ...PLAIN, overrides } })).toEqual({
    base: { prompt: '4', completion: '2' },
    tiers: [{ above_prompt_tokens: 200_000, prompt: '0.000004', completion: '0.000005' }],
    apart: {},
  });
});

test('what is not text is kept apart', () => {
  const others = {
    audio: '0.000003',
    image_token: '0.000001',
    image_output: '0.00003',
    internal_reasoning: '0.000012',
  };
  expect(pricingOf({ pricing: { ...PLAIN, ...others } })?.apart).toEqual({
    ...{ audio: '3', image: '1', image_output: '30', reasoning: '12' },
  });
});

test('CAT-20 a model that is rented by the hour has no price', () => {
  const form = 'usd-per-million';
  expect(pricingOf({ pricing: { hourly: 1.5, input: 0, output: 0 } }, form)).toBeNull();
  expect(pricingOf({ pricing: { hourly: 0, input: 0, output: 0 } }, form)?.base).toEqual({
    prompt: '0',
    completion: '0',
  });
  expect(pricingOf({ pricing: { hourly: 0, input: 0.3, output: 0.3, cached_input: 0.1 } }, form)?.base).toEqual({
    ...{ prompt: '0.3', completion: '0.3', cache_read: '0.1' },
  });
});

test.each([
  ['a variable price', { prompt: '-1', completion: '-1' }],
  ['words', { prompt: 'on request', completion: '0.1' }],
  ['half of it', { prompt: '0.1' }],
  ['nothing', null],
])('%s is no price', (_, pricing) => {
  expect(pricingOf({ pricing })).toBeNull();
});

test.each([[5], ['x'], [{ min_prompt_tokens: -5, prompt: 'x' }], [{ min_prompt_tokens: 1.5 }]])(
  'an override that makes no sense changes nothing: %j',
  (override) => {
    expect(pricingOf({ pricing: { ...PLAIN, overrides: [override] } })).toEqual({
      ...{ base: PER_MILLION, tiers: [], apart: {} },
    });
  },
);
