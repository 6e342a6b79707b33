// Which rate limit applies. The account that pays decides, so an organization's key has the organization's tier: by how
// much the account could spend, or always the paid tier where it is billed monthly, because the operator vouched for
// it. What an account may keep is decided beside it: by whether it has ever had credit, so that nobody loses room as
// credit is spent.

import { NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';

/** The operator's figures; a change of the configuration shows on the next call. */
export type RequestRates = Readonly<{ freeRequestsPerMinute: number; paidRequestsPerMinute: number }>;

/** Specification, Limits: the paid tier begins at a balance of exactly $10. */
const PAID_TIER_FROM_NANO_USD: NanoUsd = 10n * NANO_PER_USD;

type Means = Readonly<{ kind: 'prepaid' | 'monthly'; spendableNanoUsd: NanoUsd }>;

export const isFreeTier = ({ kind, spendableNanoUsd }: Means): boolean =>
  kind !== 'monthly' && spendableNanoUsd < PAID_TIER_FROM_NANO_USD;

export function requestsPerMinute(rates: RequestRates, means: Means): number {
  return isFreeTier(means) ? rates.freeRequestsPerMinute : rates.paidRequestsPerMinute;
}

/** False for accounts that have cost nobody anything to make. */
export const hasHadCredit = ({
  kind,
  totalCreditedNanoUsd,
}: Readonly<{ kind: Means['kind']; totalCreditedNanoUsd: NanoUsd }>): boolean =>
  kind === 'monthly' || totalCreditedNanoUsd > 0n;
