// An amount of USD in a body: a number that the schema has let through becomes exact, or is refused by name.

import { ApiError } from '../errors/api-error.ts';
import { type NanoUsd, parseUsdJson } from '../platform/money.ts';

/** Keeps undefined (left out) and null (cleared) apart from amounts. */
export function usdField(name: string, value: number | null | undefined): NanoUsd | null | undefined {
  if (value === undefined || value === null) return value;
  const amount = parseUsdJson(value);
  if (amount === null) throw new ApiError('http_400', `${name}: must have at most nine decimals.`);
  return amount;
}
