// Caps on a caller's spending besides the balance, as plain values that are known together with the caller. A `cap`
// must hold a call's whole estimate; a `breaker` lets calls through until its threshold is reached.

import type { NanoUsd } from '../platform/money.ts';
import type { SpendWindow } from './spend-window.ts';

/**
 * What spending is counted by, with its places among breakers and among caps. Breakers are checked from the broadest
 * on, so that it is the one that is named; caps from the narrowest on.
 */
const PLACES = {
  platform: { breaker: 0, cap: 7 },
  org: { breaker: 1, cap: 5 },
  team: { breaker: 2, cap: 3 },
  member: { breaker: 3, cap: 2 },
  user: { breaker: 4, cap: 4 },
  session: { breaker: 5, cap: 0 },
  key: { breaker: 6, cap: 1 },
  account: { breaker: 7, cap: 6 },
} as const;

export type SpendScope = keyof typeof PLACES;

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

const WINDOW_ORDER: readonly SpendWindow[] = ['minute', 'hour', 'day', 'week', 'month', 'never'];
/** Above every place of a breaker: all of those are checked before the first cap. */
const CAPS_BEGIN = 1_000;

function rank({ kind, scope, window }: SpendCap): number {
  const begin = kind === 'breaker' ? 0 : CAPS_BEGIN;
  return begin + PLACES[scope][kind] * WINDOW_ORDER.length + WINDOW_ORDER.indexOf(window);
}

/** The order in which caps are checked: the caller is told of the first that refuses. */
export function inCheckingOrder(caps: readonly SpendCap[]): readonly SpendCap[] {
  return caps.toSorted((left, right) => rank(left) - rank(right));
}
