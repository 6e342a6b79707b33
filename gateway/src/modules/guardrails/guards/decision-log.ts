// Writes what guards have decided, without the texts they were shown. Decisions come as fast as calls, so they are
// written together, outside the calls; when there are too many to keep, of all or of one organization, the latest are
// dropped. What a guard has decided of an answered call also stands on its record.

import { DAY_MS, HOUR_MS } from '../../../canonical/calendar.ts';
import type { Caller } from '../../../canonical/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { asError, type Logger } from '../../../platform/logger.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { type DecisionRow, forgetDecisions, insertDecisions } from '../store/guards.ts';
import type { Decision } from './ask.ts';
import type { Guard, GuardStage } from './guard.ts';

const WRITE_MS = 1_000;
const FORGET_MS = 3_600_000;
const KEPT_MS = 30 * DAY_MS;
const QUEUE_MAX = 10_000;
/** A call that a guard refuses costs nothing, and each guard leaves a row. */
const OF_ORG_PER_HOUR_MAX = 20_000;
const ORGS_MAX = 10_000;

type DecisionLog = Readonly<{
  note(guard: Guard, caller: Caller, stage: GuardStage, decision: Decision): void;
  close(): Promise<void>;
}>;

export function createDecisionLog(
  options: Readonly<{ database: Database; clock: Clock; logger: Logger }>,
): DecisionLog {
  const { database, clock, logger } = options;
  let queue: (DecisionRow & Readonly<{ orgId: string }>)[] = [];
  const noted = new RecentMap<{ sinceMs: number; count: number }>({ sizeMax: ORGS_MAX });
  const hasRoom = (orgId: string): boolean => {
    const nowMs = clock.monotonicMs();
    const known = noted.get(orgId);
    const hour = known === undefined || nowMs - known.sinceMs >= HOUR_MS ? { sinceMs: nowMs, count: 0 } : known;
    hour.count += 1;
    noted.set(orgId, hour);
    return hour.count <= OF_ORG_PER_HOUR_MAX;
  };
  const warn = (error: unknown): void => logger.warn({ error: asError(error) }, 'decisions of guards were not kept');
  const write = async (): Promise<void> => {
    if (queue.length === 0) return;
    const batch = queue;
    queue = [];
    await insertDecisions(database, batch).catch(warn);
  };
  const forget = (): Promise<void> => forgetDecisions(database, clock.nowMs() - KEPT_MS);
  const stops = [clock.every(WRITE_MS, () => void write()), clock.every(FORGET_MS, () => void forget().catch(warn))];
  return {
    note({ id: guardId, name: guardName, orgId }, { keyId }, stage, { outcome, reason, durationMs }) {
      // Those of the operator's guards stand on the records of calls alone.
      if (orgId === null || queue.length >= QUEUE_MAX || !hasRoom(orgId)) return;
      const createdAt = new Date(clock.nowMs());
      queue.push({ orgId, guardId, guardName, keyId, stage, outcome, reason, durationMs, createdAt });
    },
    async close() {
      for (const stop of stops) stop();
      await write();
    },
  };
}
