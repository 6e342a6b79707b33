// A video job before any provider has been asked, and the record that it leaves at its end.

import type { GenerationRecord } from '../../canonical/generation.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import type { VideoRequest } from '../../canonical/video.ts';
import type { VideoJob } from '../../canonical/video-job.ts';
import { hmacSha256Hex } from '../../platform/crypto.ts';
import { newVideoJobId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { Call } from '../call.ts';
import type { RoutedCandidate } from '../route.ts';
import type { FittedVideo } from './fit-video.ts';
import { priceOf, worstCost } from './price-video.ts';

const MS_PER_SECOND = 1_000;

type NewJobInput = Readonly<{
  /** Null where nobody knows the job by another name. */
  id: string | null;
  call: Call;
  generationId: string;
  fitted: FittedVideo;
  candidates: readonly [RoutedCandidate, ...RoutedCandidate[]];
  isFailover: boolean;
  expiresAtMs: number;
  fingerprintKey: Buffer;
}>;

export function newJob(input: NewJobInput): VideoJob {
  const { call, fitted, candidates } = input;
  const { request, inputMs } = fitted;
  const [first] = candidates;
  const { accountId, userId, keyId } = call.caller;
  return {
    id: input.id ?? newVideoJobId(),
    generationId: input.generationId,
    ...{ accountId, userId, keyId, appName: call.appName },
    modelId: first.model.id,
    providerName: first.provider.name,
    upstreamModel: first.upstreamModel,
    byokKeyId: first.own?.byokKeyId ?? null,
    upstreamJobId: null,
    task: request.task,
    durationMs: request.seconds * MS_PER_SECOND,
    inputMs,
    size: request.size ?? request.resolution ?? '',
    ...priceOf(first, request),
    heldNanoUsd: worstOf(candidates, request),
    callbackUrl: request.callbackUrl,
    ...{ phase: 'submitting', status: 'pending', outcome: null, progress: 0, outputCount: 1, error: null },
    ...{ costNanoUsd: null, misses: 0, upstreamStatus: 0, attempts: [] },
    isFailover: input.isFailover,
    fingerprint: request.task === 'text_to_video' ? fingerprintOf(request, input.fingerprintKey) : null,
    createdAtMs: call.startedAtMs,
    expiresAtMs: input.expiresAtMs,
    endedAtMs: null,
  };
}

/** The dearest candidate decides, so that failover never needs a second decision. */
function worstOf(candidates: readonly RoutedCandidate[], request: VideoRequest): NanoUsd {
  let amountNanoUsd = 0n;
  for (const candidate of candidates) {
    const cost = worstCost(priceOf(candidate, request), request);
    if (cost > amountNanoUsd) amountNanoUsd = cost;
  }
  return amountNanoUsd;
}

/**
 * A keyed hash, so that nobody can find a prompt by trying. It covers only fields that an upstream repeats in its list.
 */
export function fingerprintOf(
  { prompt, seconds }: Readonly<{ prompt: string; seconds: number | string | null }>,
  key: Buffer,
): string {
  return hmacSha256Hex(key, `${String(seconds)}\n${prompt}`);
}

type JobMoney = Pick<
  GenerationRecord,
  'subtotalNanoUsd' | 'costNanoUsd' | 'absorbedNanoUsd' | 'absorbedReason' | 'markupNanoUsd' | 'usage'
>;

export const NO_MONEY: JobMoney = {
  subtotalNanoUsd: 0n,
  costNanoUsd: 0n,
  absorbedNanoUsd: 0n,
  absorbedReason: null,
  markupNanoUsd: 0n,
  usage: zeroUsage,
};

export function recordOf(job: VideoJob, money: JobMoney, nowMs: number): GenerationRecord {
  const isOrdinary = job.attempts.length === 1 && job.upstreamJobId !== null;
  return {
    id: job.generationId,
    accountId: job.accountId,
    userId: job.userId,
    keyId: job.keyId,
    operation: 'video',
    modelId: job.modelId,
    providerName: job.providerName,
    upstreamModel: job.upstreamModel,
    appName: job.appName,
    finishReason: job.error?.code ?? job.outcome,
    upstreamStatus: job.upstreamStatus,
    isStream: false,
    isFailover: job.isFailover,
    createdAtMs: job.createdAtMs,
    durationMs: Math.max(0, nowMs - job.createdAtMs),
    firstTokenMs: null,
    ...money,
    cacheDiscountNanoUsd: 0n,
    attempts: Math.max(1, job.attempts.length),
    attemptLog: isOrdinary || job.attempts.length === 0 ? null : job.attempts,
    autoDecision: null,
    reviews: null,
  };
}
