// Figures of a report that are neither amounts nor counts: shares, rates, average prices. They are computed from exact
// amounts as decimal text, which an export writes and an answer turns into a number.

import { formatScaled, type NanoUsd } from '../../platform/money.ts';

/** One rounding, half away from zero. */
function divide(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor;
  return (2n * dividend + half) / (2n * divisor);
}

const RATE_DECIMALS = 6;
const PERCENT_DECIMALS = 4;

/** 0 when nothing was spent. */
export function marginRate(spentNanoUsd: NanoUsd, upstreamNanoUsd: NanoUsd): string {
  if (spentNanoUsd === 0n) return '0';
  return formatScaled(divide((spentNanoUsd - upstreamNanoUsd) * 10n ** 6n, spentNanoUsd), RATE_DECIMALS);
}

/** Null where the whole is missing or zero. */
export function percentOf(part: NanoUsd, whole: NanoUsd | null): string | null {
  if (whole === null || whole === 0n) return null;
  return formatScaled(divide(part * 10n ** 6n, whole), PERCENT_DECIMALS);
}

/** In nano-USD; null without tokens. */
export const averagePerMillion = (spentNanoUsd: NanoUsd, tokens: number): NanoUsd | null =>
  tokens === 0 ? null : divide(spentNanoUsd * 1_000_000n, BigInt(tokens));
