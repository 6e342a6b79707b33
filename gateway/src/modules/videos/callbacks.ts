// Calls the addresses that owners gave with their jobs, once a job has ended: until somebody there says that it was
// heard, or a few times in vain. Whatever happens, the job and its money are not touched.

import type { VideoJob } from '../../canonical/video-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError, OutboundError } from '../../platform/outbound/outbound-error.ts';
import { type CallbackRow, claimCallbacks, endCallback, postponeCallback } from './store/callbacks.ts';
import { readJob } from './store/jobs.ts';

const IN_FLIGHT_MAX = 16;
const PER_HOST_MAX = 4;
const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 65_536;
/** Longer than a call may take; then somebody else tries. */
const CLAIM_MS = 45_000;
/** After each attempt in vain. There is none after the last. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000];

export type Callbacks = Readonly<{
  /** Begins the calls that are due, as far as there is room for them; answers how many. */
  sendDue(): Promise<number>;
  /** Those that are under way. */
  idle(): Promise<void>;
}>;

export type CallbacksOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  /** What addresses may look like; the same as when they were handed in. */
  purpose: AddressPurpose;
  /** What an owner is told. */
  render(job: VideoJob): Record<string, unknown>;
  clock: Clock;
  logger: Logger;
}>;

export function createCallbacks(options: CallbacksOptions): Callbacks {
  const { database, clock, logger } = options;
  const inFlight = new Set<Promise<void>>();
  const byHost = new Map<string, number>();
  const count = (host: string, change: number): void => {
    const calls = (byHost.get(host) ?? 0) + change;
    if (calls === 0) byHost.delete(host);
    else byHost.set(host, calls);
  };
  const begin = (row: CallbackRow): void => {
    count(row.host, 1);
    const sending = sendOne(row, options)
      .catch((error: unknown) => {
        // The claim runs out by itself, and then somebody tries again.
        const fields = { jobId: row.jobId, error: error instanceof Error ? error : undefined };
        logger.warn(fields, 'a callback could not be recorded');
      })
      .finally(() => {
        count(row.host, -1);
        inFlight.delete(sending);
      });
    inFlight.add(sending);
  };
  return {
    async sendDue() {
      const limit = Math.min(IN_FLIGHT_MAX - inFlight.size, PER_HOST_MAX);
      if (limit <= 0) return 0;
      const busyHosts = [...byHost].filter(([, calls]) => calls + limit > PER_HOST_MAX).map(([host]) => host);
      const nowMs = clock.nowMs();
      const due = await claimCallbacks(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit, busyHosts });
      for (const row of due) begin(row);
      return due.length;
    },
    async idle() {
      await Promise.all(inFlight);
    },
  };
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
  const isHopeless = failure === 'forbidden' || waitMs === undefined;
  // The address stays out of the log: it may hold a secret of its owner's.
  logger.warn({ jobId, attempts, failure }, isHopeless ? 'a callback was given up' : 'a callback was not heard');
  if (isHopeless) await endCallback(database, { jobId, state: 'given_up', atMs });
  else await postponeCallback(database, jobId, atMs + waitMs);
}

/** Null when it was heard. */
async function call({ jobId, url }: CallbackRow, options: CallbacksOptions): Promise<string | null> {
  const job = await readJob(options.database, jobId);
  if (job === null) return 'forbidden';
  try {
    const { status } = await options.outbound.request({
      url,
      purpose: options.purpose,
      method: 'POST',
      headers: ['content-type', 'application/json', 'x-tollgate-idempotency-key', `${job.id}-${job.status}`],
      body: JSON.stringify(options.render(job)),
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
    });
    return status >= 200 && status <= 299 ? null : `status ${status}`;
  } catch (error) {
    if (error instanceof ForbiddenUrlError) return 'forbidden';
    if (!(error instanceof OutboundError)) throw error;
    // Somebody was there and had a lot to say; calling again would only make them say it again.
    return error.kind === 'oversize' ? null : error.kind;
  }
}
