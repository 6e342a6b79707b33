// A budget in a body: a number of USD becomes exact, or is refused. A number that would be rounded on its way is refused
// too, so that nobody's limit becomes zero because it was written too small.

import { ApiError } from '../../errors/api-error.ts';
import { type NanoUsd, parseUsdJson, usdNumber } from '../../platform/money.ts';

/** Keeps undefined (left out) and null (no limit) apart from amounts. */
export function budgetField(name: string, value: number | null | undefined): NanoUsd | null | undefined {
  if (value === undefined || value === null) return value;
  const amount = parseUsdJson(value);
  if (amount !== null && usdNumber(amount) === value) return amount;
  throw new ApiError('http_400', `${name}: must be an amount in USD with at most nine decimals, up to nine billion.`);
}
