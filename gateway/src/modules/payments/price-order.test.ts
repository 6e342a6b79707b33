// What a top-up costs, to the last digit: percentages of the credit alone, two visible roundings, every kind of
// currency.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NANO_PER_USD, parseUsd } from '../../platform/money.ts';
import { type Channel, formatMinor, priceOrder, USD_CHANNEL } from './price-order.ts';

const nano = (text: string): bigint => parseUsd(text) ?? -1n;
const channel = (currency: string, rate: string): Channel => ({ currency, rateNano: nano(rate) });

describe('a price', () => {
  test('BILL-12 $100 of credit costs $110, and $115 on a local channel', () => {
    expect(priceOrder(100n * NANO_PER_USD, USD_CHANNEL)).toEqual({
      currency: 'usd',
      rateNano: NANO_PER_USD,
      creditNanoUsd: 100n * NANO_PER_USD,
      feeNanoUsd: 10n * NANO_PER_USD,
      vatNanoUsd: 0n,
      totalNanoUsd: 110n * NANO_PER_USD,
      totalMinor: 11_000n,
    });
    expect(priceOrder(100n * NANO_PER_USD, channel('eur', '1'))).toMatchObject({
      feeNanoUsd: 10n * NANO_PER_USD,
      vatNanoUsd: 5n * NANO_PER_USD,
      totalNanoUsd: 115n * NANO_PER_USD,
      totalMinor: 11_500n,
    });
  });

  test.each([
    ['5.05', '5.56'],
    ['5.04', '5.54'],
    ['5.14', '5.65'],
    ['5.15', '5.67'],
    ['9999.95', '10999.95'],
  ])('BILL-12 the sum for %s is rounded half up to the cent: %s', (credit, total) => {
    expect(priceOrder(nano(credit), USD_CHANNEL).totalNanoUsd).toBe(nano(total));
  });

  test('BILL-12 fee and tax themselves are exact', () => {
    expect(priceOrder(nano('5.05'), channel('eur', '0.9'))).toMatchObject({
      feeNanoUsd: nano('0.505'),
      vatNanoUsd: nano('0.2525'),
      totalNanoUsd: nano('5.81'),
    });
  });

  const charged: readonly [string, string, string, string][] = [
    // 115 USD at the rate, in the smallest unit: half of one goes up.
    ['eur', '0.92', '10580', '105.80'],
    ['eur', '0.911', '10477', '104.77'],
    ['jpy', '149.5', '17193', '17193'],
    ['krw', '1385', '159275', '159275'],
    ['kwd', '0.30715', '35320', '35.320'],
    ['kwd', '0.307', '35310', '35.310'],
    ['isk', '138.261', '15900', '15900'],
  ];
  test.each(charged)('BILL-12 USD 115 in %s at %s is charged as %s, written %s', (currency, rate, minor, text) => {
    const { totalMinor } = priceOrder(100n * NANO_PER_USD, channel(currency, rate));
    expect(totalMinor).toBe(BigInt(minor));
    expect(formatMinor(totalMinor, currency)).toBe(text);
  });

  test('BILL-12 the total is within half a cent of the exact sum, for every amount and rate', () => {
    const cents = fc.bigInt({ min: 500n, max: 1_000_000n });
    const rate = fc.bigInt({ min: 1_000_000n, max: 10n ** 14n });
    fc.assert(
      fc.property(cents, rate, (amount, rateNano) => {
        const credit = amount * (NANO_PER_USD / 100n);
        const price = priceOrder(credit, { currency: 'eur', rateNano });
        expect(price.feeNanoUsd * 10n).toBe(credit);
        expect(price.vatNanoUsd * 20n).toBe(credit);
        const difference = price.totalNanoUsd - credit - price.feeNanoUsd - price.vatNanoUsd;
        expect(difference > -5_000_000n && difference <= 5_000_000n).toBe(true);
        const exact = price.totalNanoUsd * rateNano;
        const error = price.totalMinor * 10n ** 16n - exact;
        expect(2n * error > -(10n ** 16n) && 2n * error <= 10n ** 16n).toBe(true);
      }),
    );
  });
});
