import { expect, test } from 'vitest';
import { perMillion, priceLines, priceSummary, priceText } from './price-text.ts';

test('a price per token becomes one per million without arithmetic on floats', () => {
  expect(perMillion('0.0000025')).toBe('2.5');
  expect(perMillion('0.000006')).toBe('6');
  expect(perMillion('0.000000625')).toBe('0.625');
  expect(perMillion('1')).toBe('1000000');
  expect(perMillion('0')).toBe('0');
});

test('a model that is paid by the image shows no token prices', () => {
  const pricing = { prompt: '0', completion: '0', image: '0.04' };
  expect(priceLines(pricing)).toEqual([['Per image', '$0.04']]);
  expect(priceSummary(pricing)).toBe('$0.04 per image');
});

test('a free model says so, and input-only models show one price', () => {
  expect(priceSummary({ prompt: '0', completion: '0' })).toBe('Free');
  expect(priceSummary({ prompt: '0.02', completion: '0' })).toBe('$0.02 per 1M');
  expect(priceSummary({ prompt: '0.15', completion: '0.60' })).toBe('$0.15 in · $0.60 out per 1M');
});

test('prices are shown with cents, and with all of their digits', () => {
  expect(['3', '2.5', '0.075', '0.0000025'].map(priceText)).toEqual(['$3', '$2.50', '$0.075', '$0.0000025']);
});
