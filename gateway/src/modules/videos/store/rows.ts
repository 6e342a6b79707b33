// The columns of a video job, and how a job is read from them.

import type { VideoJob } from '../../../canonical/video-job.ts';

export const JOB_COLUMNS = `
  id, generation_id as "generationId", account_id as "accountId", user_id as "userId", key_id as "keyId",
  app_name as "appName", model_id as "modelId", provider_name as "providerName", upstream_model as "upstreamModel",
  byok_key_id as "byokKeyId", upstream_job_id as "upstreamJobId", task, duration_ms as "durationMs",
  input_ms as "inputMs", size, second_price as "secondPrice", request_price as "requestPrice",
  second_cost as "secondCost", request_cost as "requestCost",
  held_nano_usd as "heldNanoUsd", callback_url as "callbackUrl", phase, status, outcome, progress,
  output_count as "outputCount", error_code as "errorCode", error_message as "errorMessage",
  cost_nano_usd as "costNanoUsd", misses, upstream_status as "upstreamStatus", is_failover as "isFailover", attempts,
  fingerprint, created_at as "createdAt", expires_at as "expiresAt", ended_at as "endedAt"`;

/** The names of the members that the columns above are given. */
export type JobRow = Omit<VideoJob, 'error' | 'createdAtMs' | 'expiresAtMs' | 'endedAtMs'> &
  Readonly<{
    errorCode: string | null;
    errorMessage: string | null;
    createdAt: Date;
    expiresAt: Date;
    endedAt: Date | null;
  }>;

export function jobOf(row: JobRow): VideoJob {
  const { errorCode, errorMessage, createdAt, expiresAt, endedAt, ...rest } = row;
  return {
    ...rest,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    createdAtMs: createdAt.getTime(),
    expiresAtMs: expiresAt.getTime(),
    endedAtMs: endedAt?.getTime() ?? null,
  };
}

export const firstJob = ([row]: readonly JobRow[]): VideoJob | null => (row === undefined ? null : jobOf(row));
