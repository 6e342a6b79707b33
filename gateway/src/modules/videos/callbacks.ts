// Calls the addresses that owners gave with their jobs, once a job has ended: until the owner confirms, or a few times
// without success. The job and its money are not affected.

import type { VideoJob } from '../../canonical/video-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { CLAIM_MS, createPacedCalls, FORBIDDEN, type PacedCalls, tell } from '../../platform/outbound/paced-calls.ts';
import { type CallbackRow, claimCallbacks, endCallback, postponeCallback } from './store/callbacks.ts';
import { readJob } from './store/jobs.ts';

/** The wait after each failed attempt. After the last one there is no other. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000];

type CallbacksOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  /** What callback addresses may look like; the same rule as when they were given. */
  purpose: AddressPurpose;
  /** The body that an owner gets. */
  render(job: VideoJob): Record<string, unknown>;
  clock: Clock;
  logger: Logger;
}>;

export function createCallbacks(options: CallbacksOptions): PacedCalls {
  const { database, clock, logger } = options;
  return createPacedCalls<CallbackRow>({
    claim(limit, busyHosts) {
      const nowMs = clock.nowMs();
      return claimCallbacks(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit, busyHosts });
    },
    send: (row) => sendOne(row, options),
    onUnrecorded({ jobId }, error) {
      logger.warn({ jobId, error: asError(error) }, 'a callback could not be recorded');
    },
  });
}

async function sendOne(row: CallbackRow, options: CallbacksOptions): Promise<void> {
  const { database, clock, logger } = options;
  const { jobId, attempts } = row;
  const failure = await call(row, options);
  const atMs = clock.nowMs();
  if (failure === null) {
    await endCallback(database, { jobId, state: 'sent', atMs });
    return;
  }
  const waitMs = WAITS_MS[attempts - 1];
  const isHopeless = failure === FORBIDDEN || waitMs === undefined;
  // The address stays out of the log, because it may contain a secret of its owner.
  logger.warn({ jobId, attempts, failure }, isHopeless ? 'a callback was given up' : 'a callback was not heard');
  if (isHopeless) await endCallback(database, { jobId, state: 'given_up', atMs });
  else await postponeCallback(database, jobId, atMs + waitMs);
}

/** Null when the owner confirmed. */
async function call({ jobId, url }: CallbackRow, options: CallbacksOptions): Promise<string | null> {
  const job = await readJob(options.database, jobId);
  if (job === null) return FORBIDDEN;
  return tell(options.outbound, {
    url,
    purpose: options.purpose,
    headers: ['content-type', 'application/json', 'x-tollgate-idempotency-key', `${job.id}-${job.status}`],
    body: JSON.stringify(options.render(job)),
  });
}
