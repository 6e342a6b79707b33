import { expect, test } from 'vitest';
import type { TopUpOptions, TopUpPrice } from '../../api/top-ups.ts';
import { charged, priceLines } from './price-lines.ts';

const OFFER: TopUpOptions = {
  providers: ['stripe'],
  channels: [{ channel: 'usd', exchangeRate: '1' }],
  amountUsdMin: 5,
  amountUsdMax: 10_000,
  feePercent: 10,
  vatPercent: 5,
};

const PRICE: TopUpPrice = {
  channel: 'usd',
  creditUsd: 10.05,
  feeUsd: 1.005,
  vatUsd: 0,
  roundingUsd: 0.005,
  totalUsd: 11.06,
  currency: 'usd',
  total: 11.06,
  exchangeRate: '1',
};

test('every part is there with all its digits, and what is zero is not', () => {
  expect(priceLines(PRICE, OFFER).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Credit: $10.05',
    'Transaction fee (10 %): $1.005',
    'Rounding: $0.005',
    'Total: $11.06',
  ]);
});

test('another currency has VAT, its rate, and what is paid in it', () => {
  const price = { ...PRICE, currency: 'jpy', vatUsd: 0.5, roundingUsd: 0, total: 1654, exchangeRate: '149.5' };
  expect(priceLines(price, OFFER).map(({ name }) => name)).toEqual([
    'Credit',
    'Transaction fee (10 %)',
    'VAT (5 %)',
    'Total',
    'Exchange rate',
    'You pay',
  ]);
  expect(charged(price)).toBe('¥1,654');
});
