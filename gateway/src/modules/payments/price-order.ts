// What a top-up costs. Both percentages are taken of the credited amount, never of each other, and there are two
// roundings, half up, each visible to the payer: the sum to the cent, and its worth in the currency that is charged.

import { assert } from '../../platform/assert.ts';
import { formatScaled, NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';

export const FEE_PERCENT = 10n;
export const VAT_PERCENT = 5n;
export const CENT_NANO_USD: NanoUsd = NANO_PER_USD / 100n;

/** A currency that top-ups can be paid in. */
export type Channel = Readonly<{
  currency: string;
  /** Billionths of the currency's unit for one USD. */
  rateNano: bigint;
}>;

export const USD_CHANNEL: Channel = { currency: 'usd', rateNano: NANO_PER_USD };

export type OrderPrice = Readonly<{
  currency: string;
  rateNano: bigint;
  creditNanoUsd: NanoUsd;
  feeNanoUsd: NanoUsd;
  vatNanoUsd: NanoUsd;
  /** Whole cents. */
  totalNanoUsd: NanoUsd;
  /** What is charged, in the smallest unit of the currency. */
  totalMinor: bigint;
}>;

/** The credit is in whole cents, so that the percentages of it are exact. */
export function priceOrder(creditNanoUsd: NanoUsd, channel: Channel): OrderPrice {
  assert(creditNanoUsd > 0n && creditNanoUsd % CENT_NANO_USD === 0n, 'a credit is an amount of whole cents');
  const isLocal = channel.currency !== USD_CHANNEL.currency;
  const feeNanoUsd = (creditNanoUsd * FEE_PERCENT) / 100n;
  const vatNanoUsd = isLocal ? (creditNanoUsd * VAT_PERCENT) / 100n : 0n;
  const totalNanoUsd = divideHalfUp(creditNanoUsd + feeNanoUsd + vatNanoUsd, CENT_NANO_USD) * CENT_NANO_USD;
  return {
    ...channel,
    creditNanoUsd,
    feeNanoUsd,
    vatNanoUsd,
    totalNanoUsd,
    totalMinor: toMinor(totalNanoUsd, channel),
  };
}

function toMinor(amountNanoUsd: NanoUsd, { currency, rateNano }: Channel): bigint {
  const step = chargeStep(currency);
  const nanoSquaredPerMinor = 10n ** BigInt(18 - minorDigits(currency));
  return divideHalfUp(amountNanoUsd * rateNano, nanoSquaredPerMinor * step) * step;
}

export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** The decimal text of a charged amount, with all its digits: 11000n of USD is "110.00". */
export function formatMinor(amountMinor: bigint, currency: string): string {
  const digits = minorDigits(currency);
  const [whole = '0', fraction = ''] = formatScaled(amountMinor, digits).split('.');
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
}

// How finely each currency can be charged. Amounts of a currency are integers of its smallest unit, which is not a
// hundredth for all of them: a yen has no parts, a dinar has a thousand.

const WITHOUT_PARTS: ReadonlySet<string> = new Set(
  'bif clp djf gnf isk jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '),
);
const WITH_THOUSANDTHS: ReadonlySet<string> = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

/** Decimals of the currency's unit. */
function minorDigits(currency: string): number {
  if (WITHOUT_PARTS.has(currency)) return 0;
  return WITH_THOUSANDTHS.has(currency) ? 3 : 2;
}

/** Charges and refunds are multiples of this many smallest units, because card networks know no thousandths. */
export const chargeStep = (currency: string): bigint => (WITH_THOUSANDTHS.has(currency) ? 10n : 1n);
