// The terms on which a provider gets a request: what the prices of its route cover, and how to hide names of the
// caller's.

import type { PriceSchedule } from '../../canonical/price.ts';

export type ForwardTerms = Readonly<{
  /** Whether the extra is paid for. `isMetered`: also by the tokens that it takes. */
  offers(extra: string, isMetered: boolean): boolean;
  /** Whether tokens that a cache keeps for an hour have a price. */
  hasHourPrice: boolean;
  hasTiers: boolean;
  searches: boolean;
  hostedTools: boolean;
  /** Told of each mark behind which a cache is to keep what came before it. */
  onCacheMark?(): void;
  /** The value that is sent in place of one that names something of the caller's. */
  hash(name: string, value: string): string;
}>;

export function termsOf(prices: PriceSchedule, isFree: boolean, hash: ForwardTerms['hash']): ForwardTerms {
  const { base, tiers, applied } = prices;
  return {
    offers: (extra, isMetered) => applied?.includes(extra) === true || (isMetered && base.completion > 0n),
    hasHourPrice: base.cacheWriteHour !== null,
    hasTiers: tiers.length > 0,
    // A free quota pays for nothing that has its own price.
    searches: !isFree,
    hostedTools: !isFree && base.hostedTool !== null,
    hash,
  };
}
