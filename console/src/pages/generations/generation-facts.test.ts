import { expect, test } from 'vitest';
import { costFacts, tokenFacts } from './generation-facts.ts';

test('only what a call used is listed', () => {
  const usage = {
    prompt_tokens: 1200,
    completion_tokens: 30,
    total_tokens: 1230,
    prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
    cost: 0.1,
  };
  expect(tokenFacts(usage)).toEqual([
    ['In', '1,200'],
    ['of which from the cache', '1,000'],
    ['Out', '30'],
    ['In all', '1,230'],
  ]);
});

test('a discount is shown as what it takes away', () => {
  expect(costFacts({ cost_breakdown: { subtotal: 2, cache_discount: 0.5, total: 1.5 }, refunded: 0 })).toEqual([
    ['At list price', '$2.00'],
    ['Saved by the cache', '-$0.50'],
    ['Charged', '$1.50'],
  ]);
  expect(costFacts({ cost_breakdown: { subtotal: 2, cache_discount: 0, total: 2 }, refunded: 0 })).toHaveLength(2);
});
