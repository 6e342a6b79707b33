// The columns of a video job, and how a job is read from them.

import type { VideoJob } from '../../../canonical/video-job.ts';

export const JOB_COLUMNS = `
  id, generation_id AS "generationId", account_id AS "accountId", user_id AS "userId", key_id AS "keyId",
  app_name AS "appName", model_id AS "modelId", provider_name AS "providerName", upstream_model AS "upstreamModel",
  byok_key_id AS "byokKeyId", upstream_job_id AS "upstreamJobId", task, duration_ms AS "durationMs",
  input_ms AS "inputMs", size, second_price AS "secondPrice", request_price AS "requestPrice",
  second_cost AS "secondCost", request_cost AS "requestCost",
  held_nano_usd AS "heldNanoUsd", callback_url AS "callbackUrl", phase, status, outcome, progress,
  output_count AS "outputCount", error_code AS "errorCode", error_message AS "errorMessage",
  cost_nano_usd AS "costNanoUsd", misses, upstream_status AS "upstreamStatus", is_failover AS "isFailover", attempts,
  fingerprint, created_at AS "createdAt", expires_at AS "expiresAt", ended_at AS "endedAt"`;

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
