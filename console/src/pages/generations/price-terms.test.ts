import { expect, test } from 'vitest';
import { exactUsd, extraText, rateText } from './price-terms.ts';

test('tokens are priced by the million, pictures each, and a correction has no price', () => {
  const rate = { perMillionUsd: '2', unitUsd: '0.000002' };
  expect(rateText({ what: 'prompt tokens', ...rate })).toBe('$2.00 per million');
  expect(rateText({ what: 'images', ...rate })).toBe('$0.000002 each');
  expect(rateText({ what: 'corrections', perMillionUsd: null, unitUsd: null })).toBe('–');
});

test('an extra is told as the request spells it', () => {
  expect(extraText('service_tier=priority')).toBe('Prices with service tier “priority”.');
  expect(extraText('long_context')).toBe('Prices with long context.');
});

test('exact money keeps every digit and has cents in any case', () => {
  expect(['2.5', '0', '-0.005', '0.000000001', '12.34'].map(exactUsd)).toEqual([
    '$2.50',
    '$0.00',
    '-$0.005',
    '$0.000000001',
    '$12.34',
  ]);
});
