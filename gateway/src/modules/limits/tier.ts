// Which limit applies to whom. The line is the balance of the account that pays, so an organization's key has the
// organization's tier.

import { NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';

/** The operator's figures; a change of the configuration shows on the next call. */
export type RequestRates = Readonly<{ freeRequestsPerMinute: number; paidRequestsPerMinute: number }>;

/** Specification, Limits: the paid tier begins at a balance of exactly $10. */
export const PAID_TIER_FROM_NANO_USD: NanoUsd = 10n * NANO_PER_USD;

export const isFreeTier = (balanceNanoUsd: NanoUsd): boolean => balanceNanoUsd < PAID_TIER_FROM_NANO_USD;

export function requestsPerMinute(rates: RequestRates, balanceNanoUsd: NanoUsd): number {
  return isFreeTier(balanceNanoUsd) ? rates.freeRequestsPerMinute : rates.paidRequestsPerMinute;
}
