// Prices that are kept with a line come back as they were, with the names of their extras and what the operator pays.

import { expect, test } from 'vitest';
import { extrasOfList } from '../../canonical/extras.ts';
import { NO_PRICES, type PriceSchedule } from '../../canonical/price.ts';
import { readPrices, writePrices } from './kept-prices.ts';

const list = { ...NO_PRICES.base, prompt: 9_007_199_254_740_993n, cacheRead: 1n, webSearch: null };
const cost: PriceSchedule = { base: { ...list, prompt: 1n }, tiers: [], applied: ['batch'] };
const schedule: PriceSchedule = {
  base: list,
  tiers: [{ abovePromptTokens: 200_000, list: { ...list, completion: 7n } }],
  applied: ['batch', 'service_tier=flex'],
  sold: { cost, markup: { millionths: 200_000n, added: { prompt: 5n } } },
};

test('BILL-11 what is written is what is read', () => {
  const kept: unknown = JSON.parse(JSON.stringify(writePrices(schedule)));
  const read = readPrices(kept);
  expect(read).toEqual(schedule);
  expect(extrasOfList(read.base)).toEqual(['batch', 'service_tier=flex']);
  expect(readPrices(JSON.parse(JSON.stringify(writePrices({ base: list, tiers: [] }))))).toEqual({
    ...{ base: list, tiers: [], applied: [] },
  });
});
