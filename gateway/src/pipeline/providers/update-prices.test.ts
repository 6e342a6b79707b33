// Following the price book when nobody looks: a price that jumps or is gone from the book waits for a person, whatever
// it is a price of.

import { expect, test } from 'vitest';
import type { ConfigDocument, PricingEntry, PricingTierEntry } from '../../contract/config.ts';
import type { BookPrice } from '../../modules/vendors/price-book.ts';
import type { ConnectServices } from './connect-provider.ts';
import { updatePrices } from './update-prices.ts';

const NO_TIERS = { was: [], is: [] };
type Tiers = readonly PricingTierEntry[];

async function follow(
  before: PricingEntry,
  inBook: PricingEntry,
  tiers: Readonly<Record<'was' | 'is', Tiers>> = NO_TIERS,
) {
  const live: ConfigDocument = {
    providers: { vendor: { protocol: 'openai', base_url: 'http://127.0.0.1:9/v1', preset: 'openai' } },
    models: {
      'openai/one': {
        price_source: 'book',
        pricing: before,
        pricing_tiers: [...tiers.was],
        output_modalities: ['text'],
        routes: [{ provider: 'vendor', upstream_model: 'one' }],
      },
    },
  };
  const { next, jumps } = await updated(live, { pricing: inBook, tiers: tiers.is, extras: {} } as unknown as BookPrice);
  return { pricing: next.models?.['openai/one']?.pricing, jumps };
}

async function updated(live: ConfigDocument, price: BookPrice) {
  let next: ConfigDocument = live;
  const services = {
    clock: { nowMs: () => 0 },
    priceBook: async () => ({ find: () => price, modelsOf: () => [], ignored: [] }),
    catalog: {
      editDocument: async (edit: (document: ConfigDocument) => ConfigDocument) => {
        next = edit(live);
      },
    },
  } as unknown as ConnectServices;
  const { jumps, typed } = await updatePrices(services, { keepsJumps: true });
  return { next, jumps, typed };
}

test.each<[string, PricingEntry, PricingEntry, RegExp]>([
  [
    'seconds of audio a hundred times as dear',
    { audio_second: '0.0001' },
    { audio_second: '0.01' },
    /audio_second 0\.0001 -> 0\.01 USD per audio second, 100\.0 times as much/,
  ],
  [
    'searches at a tenth',
    { prompt: '1', completion: '2', web_search: '0.01' },
    { prompt: '1', completion: '2', web_search: '0.001' },
    /web_search .* 10\.0 times less/,
  ],
  [
    'a request without its price, which would be free',
    { prompt: '1', completion: '2', request: '0.025' },
    { prompt: '1', completion: '2' },
    /no price of it any more/,
  ],
  [
    'a cache three times as dear',
    { prompt: '1', completion: '2', cache_read: '0.1' },
    { prompt: '1', completion: '2', cache_read: '0.3' },
    /cache_read 0\.1 -> 0\.3 USD per million tokens, 3\.0 times as much/,
  ],
  [
    'a prompt for nothing',
    { prompt: '1', completion: '2' },
    { prompt: '0', completion: '2' },
    /prompt 1 -> 0 USD per million tokens, so that it would be free/,
  ],
  [
    'a prompt that was free',
    { prompt: '0', completion: '2' },
    { prompt: '1', completion: '2' },
    /prompt 0 -> 1 .*, and it was free/,
  ],
])('%s is not followed', async (_, before, inBook, words) => {
  const { pricing, jumps } = await follow(before, inBook);
  expect(pricing).toEqual(before);
  expect(jumps).toEqual([expect.stringMatching(words)]);
});

test.each<[string, PricingEntry, PricingEntry]>([
  ['a little more', { audio_second: '0.0001' }, { audio_second: '0.00011' }],
  [
    'a cache that costs as much as the prompt',
    { prompt: '1', completion: '2', cache_read: '0.1' },
    { prompt: '1', completion: '2' },
  ],
])('%s is followed', async (_, before, inBook) => {
  expect(await follow(before, inBook)).toEqual({ pricing: inBook, jumps: [] });
});

const PRICES = { prompt: '1', completion: '2' };
const above = (prompt: string): Tiers => [{ above_prompt_tokens: 200_000, prompt, completion: '0.000002' }];

test.each<[string, Tiers, Tiers, RegExp]>([
  ['long prompts at the price of short ones', above('0.000002'), [], /above 200000 tokens 2 -> 1 .* 2\.0 times less/],
  [
    'long prompts that cost four times as much',
    [],
    above('0.000004'),
    /above 200000 tokens 1 -> 4 .* 4\.0 times as much/,
  ],
])('%s are not followed', async (_, was, is, words) => {
  const { pricing, jumps } = await follow(PRICES, { ...PRICES, completion: '2.1' }, { was, is });
  expect(pricing).toEqual(PRICES);
  expect(jumps).toEqual([expect.stringMatching(words)]);
});

test('a route with prices of its own keeps them, and is named where they differ from the price book', async () => {
  const route = { provider: 'vendor', upstream_model: 'one' };
  const extras = { 'service_tier=priority': '3' };
  const own = { pricing: { prompt: '0.9', completion: '2' }, pricing_tiers: [...above('0.000004')], extras };
  const live: ConfigDocument = {
    providers: { vendor: { protocol: 'openai', base_url: 'http://127.0.0.1:9/v1', preset: 'openai' } },
    models: {
      'openai/one': {
        ...{ price_source: 'book', pricing: PRICES, output_modalities: ['text'] },
        routes: [route, { ...route, ...own }, { ...route, pricing: PRICES, pricing_tiers: [] }],
      },
    },
  };
  const price = { pricing: PRICES, tiers: [], extras: { 'service_tier=priority': '2' } } as unknown as BookPrice;
  const { next, typed } = await updated(live, price);
  expect(next.models?.['openai/one']?.routes).toEqual(live.models?.['openai/one']?.routes);
  const others = ['pricing_tiers', 'service_tier=priority'].map((name) => `${name} other than in the price book`);
  const words = ['prompt 0.9 here, 1 in the price book', ...others];
  expect(typed).toEqual([`openai/one at vendor: ${words.join('; ')}`]);
});

test('long prompts that cost a little more are followed', async () => {
  const { jumps } = await follow(PRICES, PRICES, { was: above('0.000002'), is: above('0.000003') });
  expect(jumps).toEqual([]);
});
