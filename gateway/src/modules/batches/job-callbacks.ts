// Calls the owners of jobs that are over. The request is signed as Standard Webhooks describes, with a secret that
// belongs to the API key of the job.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { CLAIM_MS, createPacedCalls, FORBIDDEN, type PacedCalls, tell } from '../../platform/outbound/paced-calls.ts';
import { webhookHeaders, webhookSecretOf } from '../../platform/outbound/sign-webhook.ts';
import * as store from './store/jobs.ts';

/** The wait after each failed attempt. After the last one there is no other. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000];

export type CallbackSecrets = Readonly<{
  /** `whsec_…`, the same for as long as the key exists. */
  secretOf(keyId: string): string;
}>;

export const createCallbackSecrets = (secretKey: Buffer): CallbackSecrets => ({
  secretOf: (keyId) => webhookSecretOf(createHmac('sha256', secretKey).update(`callbacks:${keyId}`).digest()),
});

type JobCallbacksOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  /** What callback addresses may look like; the same rule as when they were given. */
  purpose: AddressPurpose;
  secrets: CallbackSecrets;
  /** The body that an owner gets. */
  render(job: store.JobRow): Record<string, unknown>;
  clock: Clock;
  logger: Logger;
}>;

export function createJobCallbacks(options: JobCallbacksOptions): PacedCalls {
  const { database, clock, logger } = options;
  return createPacedCalls<store.CallbackRow>({
    claim(limit, busyHosts) {
      const nowMs = clock.nowMs();
      return store.claimCallbacks(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit, busyHosts });
    },
    send: (row) => sendOne(row, options),
    onUnrecorded({ jobId }, error) {
      logger.warn({ jobId, error: asError(error) }, 'a callback could not be recorded');
    },
  });
}

async function sendOne(row: store.CallbackRow, options: JobCallbacksOptions): Promise<void> {
  const { database, clock, logger } = options;
  const { jobId, attempts } = row;
  const failure = await call(row, options);
  const atMs = clock.nowMs();
  if (failure === null) {
    await store.endCallback(database, { jobId, state: 'sent', atMs });
    return;
  }
  const waitMs = WAITS_MS[attempts - 1];
  const isHopeless = failure === FORBIDDEN || waitMs === undefined;
  // The address stays out of the log: it may hold a secret of its owner's.
  logger.warn({ jobId, attempts, failure }, isHopeless ? 'a callback was given up' : 'a callback was not heard');
  if (isHopeless) await store.endCallback(database, { jobId, state: 'given_up', atMs });
  else await store.postponeCallback(database, jobId, atMs + waitMs);
}

/** Null when the owner answered with success. */
async function call({ jobId, url }: store.CallbackRow, options: JobCallbacksOptions): Promise<string | null> {
  const { database, outbound, purpose, secrets, clock } = options;
  const job = await store.readJob(database, jobId);
  if (job === null || job.endedAt === null) return FORBIDDEN;
  const body = JSON.stringify(options.render(job));
  // The id is the same for every attempt, so that an owner who gets it twice can tell.
  const signed = { id: `${job.id}-${job.status}`, sentAtMs: clock.nowMs(), body };
  const headers = ['content-type', 'application/json', ...webhookHeaders(secrets.secretOf(job.keyId), signed)];
  return tell(outbound, { url, purpose, headers, body });
}
