// The record of a call as it ends, and what others may see of it while it runs.

import type { AttemptEntry, GenerationRecord } from '../canonical/generation.ts';
import type { Candidate } from '../canonical/model.ts';
import { type Usage, zeroUsage } from '../canonical/usage.ts';
import type { CallView } from '../modules/usage/open-calls.ts';
import { assert } from '../platform/assert.ts';
import type { Attempt } from './attempt.ts';
import type { Call } from './call.ts';
import type { Selection } from './route.ts';

/** How an attempt ended in the log of its call; every other end is the kind of a failure. */
export const ANSWERED = 'answered';

/** What is known of the attempt that answered, or of the last one that failed. */
export type Ending = Readonly<{
  candidate: Candidate;
  upstreamStatus: number;
  finishReason: string | null;
  firstTokenMs: number | null;
  attempts: number;
  /** Null when the only attempt answered. */
  attemptLog: readonly AttemptEntry[] | null;
  isFailover: boolean;
}>;

export type AbsorbedReason = 'abandoned' | 'exhausted' | 'interrupted' | 'oversize' | 'blocked';

export type Money = Pick<
  GenerationRecord,
  'subtotalNanoUsd' | 'cacheDiscountNanoUsd' | 'costNanoUsd' | 'absorbedNanoUsd' | 'absorbedReason'
>;

export const NO_COST: Money = {
  subtotalNanoUsd: 0n,
  cacheDiscountNanoUsd: 0n,
  costNanoUsd: 0n,
  absorbedNanoUsd: 0n,
  absorbedReason: null,
};

type Tried = Readonly<{ attempt: Attempt | null; log: readonly AttemptEntry[] }>;

export function endingOf({ attempt, log }: Tried, selection: Selection, firstTokenMs: number | null): Ending {
  assert(attempt !== null, 'an attempt was made');
  const { candidate, status } = attempt;
  const isOrdinary = log.length === 1 && log[0]?.outcome === ANSWERED;
  return {
    candidate,
    upstreamStatus: status,
    finishReason: attempt.pipe?.finishReason ?? null,
    firstTokenMs,
    attempts: log.length,
    // The record itself says the same.
    attemptLog: isOrdinary ? null : [...log],
    isFailover: candidate.offered !== selection.firstChoice,
  };
}

/** What a call that nobody answered took of a quota has gone back. */
export function withoutShare(ending: Ending): Ending {
  const { freeShare: _given, ...candidate } = ending.candidate;
  return { ...ending, candidate };
}

/** What an upstream has read of a call, at most, when nobody waited for its answer. */
export function unreadUsage({ request }: Call): Usage {
  return { ...zeroUsage, promptTokens: request.promptTokensEstimate, units: request.unitsMax };
}

export function recordOf(call: Call, ending: Ending, usage: Usage, money: Money): GenerationRecord {
  const { caller, request } = call;
  const { candidate } = ending;
  return {
    id: call.generationId,
    accountId: caller.accountId,
    userId: caller.userId,
    keyId: caller.keyId,
    operation: request.operation,
    modelId: candidate.model.id,
    providerName: candidate.provider.name,
    upstreamModel: candidate.upstreamModel,
    appName: call.appName,
    finishReason: ending.finishReason,
    upstreamStatus: ending.upstreamStatus,
    isStream: request.isStream || request.isShownAsStream === true,
    isFailover: ending.isFailover,
    createdAtMs: call.startedAtMs,
    durationMs: call.elapsedMs(),
    firstTokenMs: ending.firstTokenMs,
    usage,
    subtotalNanoUsd: money.subtotalNanoUsd,
    cacheDiscountNanoUsd: money.cacheDiscountNanoUsd,
    costNanoUsd: money.costNanoUsd,
    absorbedNanoUsd: money.absorbedNanoUsd,
    absorbedReason: money.absorbedReason,
    freeUnits: candidate.freeShare?.units ?? 0,
    attempts: ending.attempts,
    attemptLog: ending.attemptLog,
    autoDecision: call.auto,
  };
}

/** Of a call that nobody has answered yet. */
export const unanswered = (candidate: Candidate): Ending => ({
  candidate,
  upstreamStatus: 0,
  finishReason: null,
  firstTokenMs: null,
  attempts: 0,
  attemptLog: [],
  isFailover: false,
});

/** Without what it cost, which is nothing, so that it can be told to other processes. */
export function viewOf(record: GenerationRecord, isOpen: boolean): CallView {
  const { id, accountId, keyId, operation, modelId, providerName, appName, finishReason, upstreamStatus } = record;
  const { isStream, isFailover, createdAtMs, durationMs, firstTokenMs, attemptLog, autoDecision } = record;
  const what = { id, accountId, keyId, operation, modelId, providerName, appName, finishReason, upstreamStatus };
  const how = { isStream, isFailover, createdAtMs, durationMs, firstTokenMs, attemptLog, autoDecision };
  return { ...what, ...how, isOpen };
}
