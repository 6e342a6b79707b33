// A session's quotas of requests and tokens. A call takes the most that it may use before it is sent and gives the rest
// back; the database decides, so that no number of calls at once, and no number of processes, gets more.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import * as store from './store/quotas.ts';

export type QuotaTake = store.QuotaTake;

/** Which quota is used up. */
export type QuotaRefusal = 'requests' | 'tokens';

type StudentUse = store.UseRow;

export type StudentQuotas = Readonly<{
  /** What a session has used so far; null when it is gone. */
  used(orgId: string, sessionId: string): Promise<StudentUse | null>;
  /** Null when the call may go on. */
  take(take: QuotaTake): Promise<QuotaRefusal | null>;
  /** Never fails: what could not be given back stays taken. */
  end(take: QuotaTake, isAnswered: boolean): Promise<void>;
}>;

/**
 * A call that was not charged gives back a moment after its client has the answer, so a refused call waits this long
 * for it.
 */
const PATIENCE_MS = 150;

type QuotaOptions = Readonly<{ database: Database; clock: Clock; logger: Logger }>;

export function createStudentQuotas({ database, clock, logger }: QuotaOptions): StudentQuotas {
  // Calls of one session queue here. In the database each of them would wait with a connection that others need.
  const lanes = new Map<string, Promise<boolean>>();
  const takeInTurn = async (take: QuotaTake): Promise<boolean> => {
    const { sessionId } = take;
    const before = lanes.get(sessionId);
    const turn = (before ?? Promise.resolve(true))
      .catch(() => false)
      .then(() => store.takeQuota(database, take, clock.nowMs()))
      .finally(() => {
        if (lanes.get(sessionId) === turn) lanes.delete(sessionId);
      });
    lanes.set(sessionId, turn);
    return turn;
  };
  const refusalOf = async (take: QuotaTake): Promise<QuotaRefusal | 'held'> => {
    const row = await store.readQuota(database, take.orgId, take.sessionId);
    if (row === null || (take.requestsMax !== null && row.requestsUsed >= take.requestsMax)) return 'requests';
    return take.tokensMax !== null && row.tokensUsed < take.tokensMax && row.tokensHeld > 0n ? 'held' : 'tokens';
  };
  return {
    used: (orgId, sessionId) => store.readUse(database, orgId, sessionId),
    async take(take) {
      if (await takeInTurn(take)) return null;
      const refusal = await refusalOf(take);
      if (refusal !== 'held') return refusal;
      await clock.sleep(PATIENCE_MS);
      return (await takeInTurn(take)) ? null : 'tokens';
    },
    async end(take, isAnswered) {
      try {
        await store.endQuota(database, take, isAnswered);
      } catch (error) {
        const cause = asError(error);
        logger.warn({ sessionId: take.sessionId, error: cause }, "a call's share of a quota was not given back");
      }
    },
  };
}
