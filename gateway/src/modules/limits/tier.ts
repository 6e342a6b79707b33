// Which limit applies to whom. What decides is how much the account that pays could spend, so an organization's key has
// the organization's tier, and one that is billed monthly is not at the bottom because its balance is never above zero.

import { NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';

/** The operator's figures; a change of the configuration shows on the next call. */
export type RequestRates = Readonly<{ freeRequestsPerMinute: number; paidRequestsPerMinute: number }>;

/** Specification, Limits: the paid tier begins at a balance of exactly $10. */
export const PAID_TIER_FROM_NANO_USD: NanoUsd = 10n * NANO_PER_USD;

export const isFreeTier = (spendableNanoUsd: NanoUsd): boolean => spendableNanoUsd < PAID_TIER_FROM_NANO_USD;

export function requestsPerMinute(rates: RequestRates, spendableNanoUsd: NanoUsd): number {
  return isFreeTier(spendableNanoUsd) ? rates.freeRequestsPerMinute : rates.paidRequestsPerMinute;
}
