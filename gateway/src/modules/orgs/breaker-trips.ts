// Writes to an organization's log that one of its breakers has tripped. A tripped breaker refuses every call of a
// burst, so recent entries are remembered here: a refusal costs a look-up in memory, and no call waits for the log.

import type { AuditEntry, RecordOnce } from '../../canonical/audit-entry.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { windowEndMs } from '../../canonical/spend-window.ts';
import type { Clock } from '../../platform/clock.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { usdNumber } from '../../platform/money.ts';
import { RecentMap } from '../../platform/recent-map.ts';

/** Specification, Audit log: at most one entry per scope and window per hour. */
const ONCE_PER_MS = 3_600_000;
/** Used when another process wrote the last entry, at a time that is not known here. */
const KNOWN_ELSEWHERE_MS = 60_000;
const AFTER_FAILURE_MS = 10_000;
const REMEMBERED_MAX = 20_000;

type BreakerTripsOptions = Readonly<{
  recordOnce: RecordOnce;
  clock: Clock;
  logger: Logger;
}>;

type BreakerTrips = Readonly<{
  /** Runs on the path of a refused call. Breakers of people and of the platform belong to no organization's log. */
  note(cap: SpendCap): void;
}>;

const TARGETS: Readonly<Partial<Record<SpendCap['scope'], string>>> = {
  org: 'org',
  team: 'team',
  member: 'org_member',
};

export function createBreakerTrips({ recordOnce, clock, logger }: BreakerTripsOptions): BreakerTrips {
  /** Until when the log need not be asked about a subject. */
  const quietUntilMs = new RecentMap<number>({ sizeMax: REMEMBERED_MAX });

  const write = async (trip: AuditEntry, subject: string, nowMs: number): Promise<void> => {
    try {
      const isWritten = await recordOnce(trip, { subject, perMs: ONCE_PER_MS });
      if (!isWritten) quietUntilMs.set(subject, nowMs + KNOWN_ELSEWHERE_MS);
    } catch (error) {
      quietUntilMs.set(subject, nowMs + AFTER_FAILURE_MS);
      logger.warn({ subject, error: asError(error) }, 'a tripped breaker was not logged');
    }
  };

  return {
    note(cap) {
      const targetType = TARGETS[cap.scope];
      const orgId = cap.covers.accountId;
      if (targetType === undefined || orgId === undefined) return;
      const subject = `cb.tripped/${cap.scope}/${cap.scopeId}/${cap.window}`;
      const nowMs = clock.nowMs();
      if (nowMs < (quietUntilMs.get(subject) ?? 0)) return;
      quietUntilMs.set(subject, nowMs + ONCE_PER_MS);
      void write(tripOf(cap, { orgId, targetType, nowMs }), subject, nowMs);
    },
  };
}

function tripOf(cap: SpendCap, at: Readonly<{ orgId: string; targetType: string; nowMs: number }>): AuditEntry {
  return {
    orgId: at.orgId,
    action: `${at.targetType}.cb.tripped`,
    actor: { userId: null, keyId: null, kind: 'system' },
    targetType: at.targetType,
    targetId: cap.scopeId,
    after: {
      window: cap.window,
      thresholdUsd: usdNumber(cap.limitNanoUsd),
      resetsAt: new Date(windowEndMs(cap.window, at.nowMs)).toISOString(),
    },
  };
}
