// Following the price book when nobody looks: a price that jumps or is gone from the book waits for a person, whatever
// it is a price of.

import { expect, test } from 'vitest';
import type { ConfigDocument, PricingEntry } from '../../contract/config.ts';
import type { BookPrice } from '../../modules/vendors/price-book.ts';
import type { ConnectServices } from './connect-provider.ts';
import { updatePrices } from './update-prices.ts';

async function follow(before: PricingEntry, inBook: PricingEntry) {
  const live: ConfigDocument = {
    providers: { vendor: { protocol: 'openai', base_url: 'http://127.0.0.1:9/v1', preset: 'openai' } },
    models: {
      'openai/one': {
        price_source: 'book',
        pricing: before,
        output_modalities: ['text'],
        routes: [{ provider: 'vendor', upstream_model: 'one' }],
      },
    },
  };
  const price = { pricing: inBook, tiers: [], extras: {} } as unknown as BookPrice;
  let next: ConfigDocument = live;
  const services = {
    clock: { nowMs: () => 0 },
    priceBook: async () => ({ find: () => price, modelsOf: () => [] }),
    catalog: {
      editDocument: async (edit: (document: ConfigDocument) => ConfigDocument) => {
        next = edit(live);
      },
    },
  } as unknown as ConnectServices;
  const { jumps } = await updatePrices(services, { keepsJumps: true });
  return { pricing: next.models?.['openai/one']?.pricing, jumps };
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
