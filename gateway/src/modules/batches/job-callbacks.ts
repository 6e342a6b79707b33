// Calls the owners of jobs that are over. The request is signed as Standard Webhooks describes, with a secret that
// belongs to the API key of the job.

import { createHmac } from 'node:crypto';
import { type CallbacksOptions, createCallbacks } from '../../platform/outbound/callbacks.ts';
import type { PacedCalls } from '../../platform/outbound/paced-calls.ts';
import { webhookHeaders, webhookSecretOf } from '../../platform/outbound/sign-webhook.ts';
import * as store from './store/jobs.ts';

export type CallbackSecrets = Readonly<{
  /** `whsec_…`, the same for as long as the key exists. */
  secretOf(keyId: string): string;
}>;

export const createCallbackSecrets = (secretKey: Buffer): CallbackSecrets => ({
  secretOf: (keyId) => webhookSecretOf(createHmac('sha256', secretKey).update(`callbacks:${keyId}`).digest()),
});

type JobCallbacksOptions = CallbacksOptions &
  Readonly<{ secrets: CallbackSecrets; render(job: store.JobRow): Record<string, unknown> }>;

export const createJobCallbacks = (options: JobCallbacksOptions): PacedCalls =>
  createCallbacks(options, store.jobCallbackRows, async (jobId) => {
    const job = await store.readJob(options.database, jobId);
    if (job === null || job.endedAt === null) return null;
    const body = JSON.stringify(options.render(job));
    // The id is the same for every attempt, so that whoever hears it twice can tell.
    const signed = { id: `${job.id}-${job.status}`, sentAtMs: options.clock.nowMs(), body };
    return { headers: webhookHeaders(options.secrets.secretOf(job.keyId), signed), body };
  });
