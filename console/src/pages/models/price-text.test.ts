import { expect, test } from 'vitest';
import { extraLines, perMillion, priceLines, priceSummary, priceText, tierColumns } from './price-text.ts';

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
  expect(['3', '10.00', '2.5', '0.075', '0.0000025'].map(priceText)).toEqual([
    '$3',
    '$10',
    '$2.50',
    '$0.075',
    '$0.0000025',
  ]);
});

test('every price that a tier or an extra has is shown', () => {
  const tiers = [
    { above_prompt_tokens: 10, prompt: '0.000001', completion: '0.000002', cache_read: '0.0000001' },
    { above_prompt_tokens: 20, prompt: '0.000002', completion: '0.000004' },
  ];
  expect(tierColumns(tiers).map(([, label]) => label)).toEqual([
    'Input per 1M',
    'Output per 1M',
    'Cached input per 1M',
  ]);
  const extras = { 'service_tier=priority': '2', speed: { prompt: '5', image: '0.04' }, thinking: '1' };
  expect(extraLines(extras)).toEqual([
    ['service_tier=priority', '2 times the price'],
    ['speed', 'input per 1M $5, per image $0.04'],
    ['thinking', 'no extra charge'],
  ]);
});

test('what a provider runs has its price among the others', () => {
  const lines = priceLines({ prompt: '1', completion: '2', web_search: '0.01', hosted_tool: '0.03' });
  expect(lines).toContainEqual(['Per search of the web', '$0.01']);
  expect(lines).toContainEqual(['Per use of a provider’s tool', '$0.03']);
});
