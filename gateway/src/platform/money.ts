// Money is bigint nano-USD (1e-9 USD). Decimal text comes in exactly and goes out exactly; the only float is the JSON
// number at the edge. Prices are nano-USD per million units, so that USD per token with
// fifteen decimals and USD per million with nine are both exact.

import { assert } from './assert.ts';

export type NanoUsd = bigint;

export const NANO_PER_USD = 1_000_000_000n;
const UNITS_PER_PRICE = 1_000_000n;
/** Bounds every amount that enters: 9 billion USD, well inside PostgreSQL's bigint. */
const NANO_USD_MAX = 9_000_000_000n * NANO_PER_USD;

const DECIMAL = /^(\d{1,15})(?:\.(\d{1,18}))?$/;

/**
 * Reads a non-negative decimal exactly as an integer scaled by 10^`scale`, or null when it is malformed or too fine.
 */
function scaledDecimal(text: string, scale: number): bigint | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > scale) return null;
  return BigInt(match[1] ?? '0') * 10n ** BigInt(scale) + BigInt(fraction.padEnd(scale, '0'));
}

/** `"12.5"` USD to nano-USD; null when it is not an exact non-negative amount. */
export function parseUsd(text: string): NanoUsd | null {
  const amount = scaledDecimal(text, 9);
  return amount === null || amount > NANO_USD_MAX ? null : amount;
}

/** A JSON number or decimal string in USD to nano-USD; the number's shortest decimal text is what the sender wrote. */
export function parseUsdJson(value: unknown): NanoUsd | null {
  if (typeof value === 'string') return parseUsd(value);
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  const text = String(value);
  if (!text.includes('e')) return parseUsd(text);
  // A number with an exponent may be finer than a nano-dollar; rounding it would change what the sender wrote.
  const fixed = value.toFixed(9);
  return Number(fixed) === value ? parseUsd(fixed) : null;
}

/** USD per million units (how prices of tokens are written) to nano-USD per million. */
export function parsePricePerMillion(text: string): NanoUsd | null {
  return parseUsd(text);
}

/** USD per single unit (tier prices per token, prices per image or second) to nano-USD per million units. */
export function parsePricePerUnit(text: string): NanoUsd | null {
  const amount = scaledDecimal(text, 15);
  return amount === null || amount > NANO_USD_MAX * UNITS_PER_PRICE ? null : amount;
}

/** Exact decimal text, trailing zeros trimmed: 150000000n is "0.15". */
export function formatScaled(amount: bigint, scale: number): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export const formatUsd = (amount: NanoUsd): string => formatScaled(amount, 9);
export const formatPricePerMillion = (price: NanoUsd): string => formatScaled(price, 9);
export const formatPricePerUnit = (price: NanoUsd): string => formatScaled(price, 15);

/** Whole numbers up to here are exact as floats, and so is the rounding of one division of them. */
const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The JSON number of an amount: the one that its decimal text stands for. Exact to the nano for every amount below nine
 * million USD, and of those it is the quotient, which is found faster than the text.
 */
export function usdNumber(amount: NanoUsd): number {
  if (amount > EXACT_MAX || amount < -EXACT_MAX) return Number(formatUsd(amount));
  return Number(amount) / 1e9;
}

/** Units times price, still scaled by a million; sum these and round once with `roundCharge`. */
export function priceUnits(units: number, pricePerMillion: NanoUsd): bigint {
  // Most quantities of a call are zero, and each bigint is an object.
  if (units === 0) return 0n;
  assert(Number.isSafeInteger(units) && units > 0, 'only validated quantities are priced');
  return BigInt(units) * pricePerMillion;
}

/** The one rounding of a charge: half up, from millionths of a nano-USD. */
export function roundCharge(scaledByMillion: bigint): NanoUsd {
  assert(scaledByMillion >= 0n, 'a charge is never negative');
  return (scaledByMillion + UNITS_PER_PRICE / 2n) / UNITS_PER_PRICE;
}

/** The greater of two amounts; `Math.max` takes no bigint. */
export const greaterOf = (one: NanoUsd, other: NanoUsd): NanoUsd => (one > other ? one : other);

export const lesserOf = (one: NanoUsd, other: NanoUsd): NanoUsd => (one < other ? one : other);
