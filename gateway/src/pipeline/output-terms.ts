// How much output a call may come to, and how much of it must be held before it is sent. A caller's own limit is held
// whole. Without one, a stream that shows what it costs starts with a part and is extended; what cannot be watched (a whole
// answer, thinking that nobody sees) holds the most it could be, or is sent with a limit equal to what is held.

import type { Candidate, Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { answerTokensMax } from './answer-bounds.ts';

/** What a stream without a limit starts with, and is extended by. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;
/** A limit of the gateway's own is never lower, because an answer that ends sooner is of no use. */
export const OUTPUT_TOKENS_LEAST = 1_024;
/** Where the catalog does not say how long a model's answers can be: as long as any is known to be. */
const OUTPUT_TOKENS_UNSTATED = 131_072;
/** A limit that a model of unknown length is sent must not be above its own, or it refuses the call. */
const LIMIT_TOKENS_UNSTATED = 16_384;

/** In tokens of each choice. */
export type OutputTerms = Readonly<{
  /** Nothing longer can come. */
  longest: number;
  most: number;
  /** Held where the most is too much. */
  otherwise: number;
  least: number;
  /** Not the caller's own limit: more may be held later, or a limit sent upstream. */
  isOpen: boolean;
  /** What comes shows, so that the gateway can stop it, and no limit has to go upstream. */
  isWatched: boolean;
}>;

export function outputTerms(request: CanonicalRequest, { model }: Candidate): OutputTerms {
  const { outputTokensMax } = request;
  if (request.operation !== 'chat') return fixed(outputTokensMax ?? shortest(model.completionTokensMax));
  if (outputTokensMax !== null && !request.isOutputLimitHabitual) return fixed(outputTokensMax);
  const stated = statedTokens(model);
  const longest = Math.min(outputTokensMax ?? stated, stated, answerTokensMax(request));
  const least = Math.min(OUTPUT_TOKENS_LEAST, longest);
  if (request.isStream && !mayReasonUnseen(request, model)) {
    const start = Math.min(OUTPUT_TOKENS_DEFAULT, longest);
    return { longest, most: start, otherwise: start, least, isOpen: true, isWatched: true };
  }
  const otherwise = model.completionTokensMax === null ? Math.min(longest, LIMIT_TOKENS_UNSTATED) : longest;
  return { longest, most: longest, otherwise, least, isOpen: true, isWatched: false };
}

const fixed = (tokens: number): OutputTerms => ({
  longest: tokens,
  most: tokens,
  otherwise: tokens,
  least: tokens,
  isOpen: false,
  isWatched: true,
});

const shortest = (possible: number | null): number =>
  Math.min(OUTPUT_TOKENS_DEFAULT, possible ?? OUTPUT_TOKENS_DEFAULT);

/** Fields by which a catalog says that a model can think before it answers. */
const REASONING_PARAMETERS: ReadonlySet<string> = new Set([
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'thinking',
]);

/** Whether tokens may be produced that nobody sees before the usage tells. A model of which nothing is known may. */
function mayReasonUnseen({ wantsReasoning }: ConversationRequest, { traits, supportedParameters }: Model): boolean {
  if (traits.isReasoningMandatory || wantsReasoning === true) return true;
  if (traits.isReasoningAsked || wantsReasoning === false) return false;
  return supportedParameters === null || supportedParameters.some((name) => REASONING_PARAMETERS.has(name));
}

/** The request with the limit that has to go upstream with it, where `heldTokens` of output are held for each choice. */
export function withinHold(request: CanonicalRequest, candidate: Candidate, heldTokens: number): CanonicalRequest {
  if (request.operation !== 'chat') return request;
  const { most, otherwise, least, isOpen, isWatched } = outputTerms(request, candidate);
  if (!isOpen) return request;
  const { model } = candidate;
  const limit =
    isWatched || heldTokens >= most
      ? Math.min(model.completionTokensMax ?? Number.POSITIVE_INFINITY, answerTokensMax(request))
      : Math.max(least, Math.min(heldTokens, otherwise));
  // Where the answer would end by itself needs no saying.
  return limit < (request.outputTokensMax ?? statedTokens(model)) ? request.withOutputLimit(limit) : request;
}

const statedTokens = ({ completionTokensMax, contextLength }: Model): number =>
  completionTokensMax ?? contextLength ?? OUTPUT_TOKENS_UNSTATED;

/** An answer that nobody pays for has a length of its own, whatever the caller allows. */
export function withinFree(request: CanonicalRequest, { freeShare }: Candidate): CanonicalRequest {
  if (request.operation !== 'chat' || freeShare === undefined || freeShare.exhausted !== null) return request;
  const { outputTokensMax } = freeShare;
  const isWithin = request.outputTokensMax !== null && request.outputTokensMax <= outputTokensMax;
  return isWithin ? request : request.withOutputLimit(outputTokensMax);
}
