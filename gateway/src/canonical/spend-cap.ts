// Caps on a caller's spending besides the balance, as plain values that are known together with the caller. A `cap`
// must hold a call's whole estimate; a `breaker` lets calls through until its threshold is reached.

import type { NanoUsd } from '../platform/money.ts';
import type { SpendWindow } from './spend-window.ts';

export type SpendScope = 'platform' | 'org' | 'team' | 'member' | 'user' | 'session' | 'key' | 'account';

/** Whose calls count: all given conditions must hold; without any, everybody's calls count. */
export type SpendCoverage = Readonly<{
  keyId?: string;
  accountId?: string;
  /** Calls that were made in this team, even by people who have left it. */
  teamId?: string;
  userIds?: readonly string[];
}>;

export type SpendCap = Readonly<{
  kind: 'cap' | 'breaker';
  scope: SpendScope;
  scopeId: string;
  window: SpendWindow;
  limitNanoUsd: NanoUsd;
  /**
   * When the cap came into force. Counting starts anew, from the records of the window, whenever a cap that was off is
   * switched on; a limit that only changes its amount keeps this time.
   */
  sinceMs: number;
  covers: SpendCoverage;
}>;

/** For a cap that only counts: no call reaches it. */
export const UNLIMITED_NANO_USD: NanoUsd = 9_000_000_000_000_000_000n;

export const NO_CAPS: readonly SpendCap[] = [];

/**
 * The team that a call counts for: an organization's budget for a team applies to each of its members, even where it is
 * unlimited. Null for a caller without a team.
 */
export function teamOfCaps(caps: readonly SpendCap[]): string | null {
  for (const cap of caps) if (cap.scope === 'team') return cap.scopeId;
  return null;
}

/** Breakers come first, the broadest ahead, so that the broadest is named; then caps, the narrowest ahead. */
const BREAKER_ORDER: readonly SpendScope[] = ['platform', 'org', 'team', 'member', 'user', 'session', 'key', 'account'];
const CAP_ORDER: readonly SpendScope[] = ['session', 'key', 'member', 'team', 'user', 'org', 'account', 'platform'];
const WINDOW_ORDER: readonly SpendWindow[] = ['minute', 'hour', 'day', 'week', 'month', 'never'];

function rank(cap: SpendCap): number {
  const [base, order] = cap.kind === 'breaker' ? [0, BREAKER_ORDER] : [100, CAP_ORDER];
  return base + order.indexOf(cap.scope) * WINDOW_ORDER.length + WINDOW_ORDER.indexOf(cap.window);
}

/** The order in which caps are checked: the caller is told of the first that refuses. */
export function inCheckingOrder(caps: readonly SpendCap[]): readonly SpendCap[] {
  return caps.toSorted((left, right) => rank(left) - rank(right));
}
