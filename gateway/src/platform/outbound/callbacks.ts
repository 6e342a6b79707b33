// Calls the addresses that owners gave with their jobs, once a job has ended: until somebody there says that it was
// heard, or a few times in vain. Whatever happens, the job and its money are not touched.

import type { Clock } from '../clock.ts';
import type { CallbackRow, CallbackRows } from '../db/callback-rows.ts';
import type { Database } from '../db/database.ts';
import { asError, type Logger } from '../logger.ts';
import type { AddressPurpose, Outbound } from './outbound.ts';
import { CLAIM_MS, createPacedCalls, FORBIDDEN, type PacedCalls, tell } from './paced-calls.ts';

/** The wait after each failed attempt. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000];

export type CallbacksOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  /** What addresses may look like; the same as when they were handed in. */
  purpose: AddressPurpose;
  clock: Clock;
  logger: Logger;
}>;

/** What an owner is told of a job; null where nobody is to be told any more. */
type Telling = Readonly<{ headers: readonly string[]; body: string }>;

export function createCallbacks(
  options: CallbacksOptions,
  rows: CallbackRows,
  tellingOf: (jobId: string) => Promise<Telling | null>,
): PacedCalls {
  const { database, outbound, purpose, clock, logger } = options;
  /** Null when it was heard. */
  const call = async ({ jobId, url }: CallbackRow): Promise<string | null> => {
    const telling = await tellingOf(jobId);
    if (telling === null) return FORBIDDEN;
    const headers = ['content-type', 'application/json', ...telling.headers];
    return tell(outbound, { url, purpose, headers, body: telling.body });
  };
  return createPacedCalls<CallbackRow>({
    clock,
    claim(limit, busy) {
      const nowMs = clock.nowMs();
      return rows.claim(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit, busy });
    },
    async send(row) {
      const { jobId, attempts } = row;
      const failure = await call(row);
      const atMs = clock.nowMs();
      if (failure === null) {
        await rows.end(database, jobId, 'sent', atMs);
        return;
      }
      const waitMs = WAITS_MS[attempts - 1];
      const isHopeless = failure === FORBIDDEN || waitMs === undefined;
      // The address stays out of the log: it may hold a secret of its owner's.
      logger.warn(
        { jobId, attempts, failure },
        isHopeless ? 'a callback was given up' : 'a callback could not be delivered yet',
      );
      if (isHopeless) await rows.end(database, jobId, 'given_up', atMs);
      else await rows.postpone(database, jobId, atMs + waitMs);
    },
    onUnrecorded({ jobId }, error) {
      logger.warn({ jobId, error: asError(error) }, 'a callback could not be recorded');
    },
  });
}
