// The caps on a key's spending, gathered when its caller is loaded: the holder's own breaker, the key's limit, and for
// an organization's key the caps that the organization sets for its holder.

import {
  type BreakerLayer,
  type BreakerSubject,
  breakerCaps,
  NO_BREAKER_LAYER,
  resolveBreaker,
} from '../../canonical/breaker.ts';
import { inCheckingOrder, NO_CAPS, type SpendCap } from '../../canonical/spend-cap.ts';
import { limitWindow } from '../../canonical/spend-window.ts';
import type { BreakerRow } from './store/breakers.ts';
import type { CallerRow } from './store/callers.ts';

/** Caps from other modules. Code that changes one must have the cached callers of the account dropped. */
export type CapsOfMember = (accountId: string, userId: string) => Promise<readonly SpendCap[]>;

/** A person's own breaker settings, and what their spending is counted by. */
export type UserBreaker = Readonly<{ layer: BreakerLayer; subject: BreakerSubject }>;

export function userBreaker(userId: string, row: BreakerRow | null): UserBreaker {
  const { enabledAt, ...layer } = row ?? { ...NO_BREAKER_LAYER, enabledAt: null };
  const sinceMs = enabledAt?.getTime() ?? 0;
  return { layer, subject: { scope: 'user', scopeId: userId, sinceMs, covers: { userIds: [userId] } } };
}

export function callerCaps(row: CallerRow, ofMember: readonly SpendCap[]): readonly SpendCap[] {
  const caps = [...breakerCapsOf(row), ...limitCapsOf(row), ...ofMember];
  return caps.length === 0 ? NO_CAPS : inCheckingOrder(caps);
}

function breakerCapsOf(row: CallerRow): readonly SpendCap[] {
  if (row.breakerEnabledAt === null) return NO_CAPS;
  const { layer, subject } = userBreaker(row.userId, {
    isEnabled: row.isBreakerEnabled,
    minuteNanoUsd: row.breakerMinuteNanoUsd,
    hourNanoUsd: row.breakerHourNanoUsd,
    enabledAt: row.breakerEnabledAt,
  });
  return breakerCaps(subject, resolveBreaker([layer]));
}

function limitCapsOf(row: CallerRow): readonly SpendCap[] {
  if (row.spendLimitNanoUsd === null) return NO_CAPS;
  return [
    {
      kind: 'cap',
      scope: 'key',
      scopeId: row.id,
      window: limitWindow(row.spendLimitPeriod),
      limitNanoUsd: row.spendLimitNanoUsd,
      sinceMs: row.spendLimitSince.getTime(),
      covers: { keyId: row.id },
    },
  ];
}
