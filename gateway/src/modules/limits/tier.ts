// Which rate limit applies. The account that pays decides, so an organization's key has the organization's tier: by how
// much the account could spend, or always the paid tier where it is billed monthly, because the operator vouched for
// it. What an account may keep is decided beside it: by whether it has ever had credit, so that nobody loses room as
// credit is spent.

import { NANO_PER_USD, type NanoUsd } from '../../platform/money.ts';
import { RecentMap } from '../../platform/recent-map.ts';

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

type Credited = Readonly<{ kind: Means['kind']; totalCreditedNanoUsd: NanoUsd }>;

const ACCOUNTS_KNOWN_MAX = 10_000;

/**
 * False for accounts that have cost nobody anything to make. Who has had credit is not looked up again, because it is
 * asked for whatever is kept.
 */
export function createCreditCheck(
  find: (accountId: string) => Promise<Credited>,
): (accountId: string) => Promise<boolean> {
  const known = new RecentMap<true>({ sizeMax: ACCOUNTS_KNOWN_MAX });
  return async (accountId) => {
    if (known.get(accountId) === true) return true;
    const { kind, totalCreditedNanoUsd } = await find(accountId);
    const hasHadCredit = kind === 'monthly' || totalCreditedNanoUsd > 0n;
    if (hasHadCredit) known.set(accountId, true);
    return hasHadCredit;
  };
}
