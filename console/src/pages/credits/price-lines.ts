// The parts of a price in the order in which they add up. The gateway computed the sums; this file only formats them.

import type { TopUpOptions, TopUpPrice } from '../../api/top-ups.ts';

export type PriceLine = Readonly<{ name: string; value: string; isSum: boolean }>;

export function priceLines(price: TopUpPrice, offer: TopUpOptions): readonly PriceLine[] {
  const lines: PriceLine[] = [
    { name: 'Credit', value: usd(price.creditUsd), isSum: false },
    { name: `Transaction fee (${offer.feePercent} %)`, value: usd(price.feeUsd), isSum: false },
  ];
  if (price.vatUsd !== 0) lines.push({ name: `VAT (${offer.vatPercent} %)`, value: usd(price.vatUsd), isSum: false });
  if (price.roundingUsd !== 0) lines.push({ name: 'Rounding', value: usd(price.roundingUsd), isSum: false });
  lines.push({ name: 'Total', value: usd(price.totalUsd), isSum: true });
  if (price.currency === 'usd') return lines;
  const unit = price.currency.toUpperCase();
  return [
    ...lines,
    { name: 'Exchange rate', value: `1 USD = ${price.exchangeRate} ${unit}`, isSum: false },
    { name: 'You pay', value: charged(price), isSum: true },
  ];
}

/** What is charged, in the currency it is charged in. */
export function charged({ currency, total }: Pick<TopUpPrice, 'currency' | 'total'>): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(total);
}

/** All digits, at least two: half a cent of a fee is shown. */
const usd = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 9 }).format(amount);
