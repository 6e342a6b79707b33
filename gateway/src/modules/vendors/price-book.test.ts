// The price book as the config document has it: exact decimals, tiers per token, and never the cheapest of several prices.

import { beforeAll, expect, test } from 'vitest';
import { openPriceBook, type PriceBook } from './price-book.ts';

let book: PriceBook;
const NOW = Date.parse('2026-11-15T12:00:00Z');

beforeAll(async () => {
  book = await openPriceBook();
});

test('a price is the exact decimal that the vendor publishes', () => {
  expect(book.find(['openai'], 'gpt-4o-mini', NOW)?.pricing).toMatchObject({
    ...{ prompt: '0.15', completion: '0.6', cache_read: '0.075', web_search: '0.01' },
  });
  expect(book.find(['openai'], 'nothing-of-the-kind', NOW)).toBeNull();
  expect(book.find([], 'gpt-4o-mini', NOW)).toBeNull();
});

test('the first vendor that knows a model is asked', () => {
  expect(book.find(['azure', 'openai'], 'gpt-4o-mini', NOW)?.vendor).toBe('azure');
});

test('a tier states every price that holds there, per token', () => {
  expect(book.find(['google'], 'gemini-2.5-pro', NOW)).toMatchObject({
    pricing: { prompt: '1.25', completion: '10' },
    tiers: [{ above_prompt_tokens: 200000, prompt: '0.0000025', completion: '0.000015', cache_read: '0.00000025' }],
  });
});

test('what is cheaper at some hours costs what it costs at the others', async () => {
  const data = [
    {
      ...{ id: 'acme', name: 'Acme', api_pattern: 'https://acme\\.test' },
      models: [
        {
          id: 'm',
          match: { equals: 'm' },
          prices: [
            { prices: { input_mtok: 2, output_mtok: 4 } },
            {
              constraint: { type: 'time_of_date' as const, start_time: '11:00:00Z', end_time: '13:00:00Z' },
              prices: { input_mtok: 1, output_mtok: 2 },
            },
          ],
        },
      ],
    },
  ];
  const acme = await openPriceBook(data);
  for (const hour of [0, 11, 12, 18]) {
    const found = acme.find(['acme'], 'm', Date.parse('2026-11-15T00:00:00Z') + hour * 3_600_000);
    expect(found?.pricing).toEqual({ prompt: '2', completion: '4' });
  }
});

test('what the price leaves out is named', () => {
  expect(book.find(['google'], 'gemini-2.5-flash', NOW)?.unbilled).toContain('input_audio_mtok');
});

test('what the book says too roughly is told by facts of our own', () => {
  const sonar = book.find(['perplexity'], 'sonar', NOW);
  expect(sonar?.pricing).toMatchObject({ prompt: '1', completion: '1', request: '0.005', web_search: '0' });
  expect(sonar?.extras).toEqual({
    'search_context_size=medium': { request: '0.008' },
    'search_context_size=high': { request: '0.012' },
  });
  expect(book.find(['perplexity'], 'sonar-pro', NOW)?.pricing.request).toBe('0.006');
  expect(book.find(['openai'], 'gpt-4o-mini', NOW)?.extras).toEqual({});
});
