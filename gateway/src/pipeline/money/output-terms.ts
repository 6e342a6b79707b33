// How much output a call may come to, what that costs, and what bounds an answer: in tokens, money, bytes and time.
// What is held is the input estimate at the tier it selects, plus the output by these terms.

import type { Candidate, Model } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import type { ConversationRequest, Inspection } from '../../canonical/request.ts';
import { IMAGE_TOKENS_MAX } from '../../dialects/estimate-prompt.ts';
import { ApiError } from '../../errors/api-error.ts';
import {
  affordableOutput,
  type CallSize,
  type CostLine,
  costAt,
  costLine,
  type PricingOptions,
} from '../../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { mapImageSize } from '../../upstreams/image-size.ts';
import { unitsMaxOf } from './hosted-tools.ts';

export function completionMultiplier(request: CanonicalRequest, candidate: Candidate): number {
  const { traits } = candidate.model;
  const isThinking = request.operation === 'chat' && request.isThinkingEnabled;
  return traits.isThinkingOptIn && isThinking ? traits.thinkingCompletionMultiplier : 1;
}

/** What a call may cost at a candidate, by its output. */
export const costLineOf = (request: CanonicalRequest, candidate: Candidate): CostLine =>
  costLine(sizeOf(request, candidate), candidate.prices, optionsOf(request, candidate));

/** What a call costs with this many tokens of output for each choice. */
export const costOf = (request: CanonicalRequest, candidate: Candidate, outputTokens: number): NanoUsd =>
  costAt(costLineOf(request, candidate), outputTokens);

/** How many tokens of output the held amount pays for, for each choice. */
export const heldOutputTokens = (request: CanonicalRequest, candidate: Candidate, heldNanoUsd: NanoUsd): number =>
  affordableOutput(heldNanoUsd, costLineOf(request, candidate));

/** What a search finds is read as a part of the prompt, in which it stays for the searches after it. */
const TOKENS_PER_SEARCH = 8_000;

/**
 * What the prompt may cost beyond its estimate, because it has parts that only the upstream can measure, or is joined by
 * what searches find; the model's context bounds it.
 */
export function promptCostBeyond(request: CanonicalRequest, candidate: Candidate): NanoUsd {
  const { promptTokensBeyond = 0, promptPictures = 0 } = request;
  const { traits, contextLength } = candidate.model;
  const beyond =
    promptTokensBeyond +
    promptPictures * Math.max(0, traits.pictureTokensMax - IMAGE_TOKENS_MAX) +
    (unitsMaxOf(request, candidate)?.webSearches ?? 0) * TOKENS_PER_SEARCH;
  if (beyond === 0) return 0n;
  const size = sizeOf(request, candidate);
  const { promptTokens } = size;
  const isUnbounded = contextLength === null || (promptPictures > 0 && traits.picturesExceedContext);
  const contextMax = isUnbounded ? Number.POSITIVE_INFINITY : contextLength;
  const most = Math.max(promptTokens, Math.min(promptTokens + beyond, contextMax));
  const options = optionsOf(request, candidate);
  const costMax = costAt(costLine({ ...size, promptTokens: most }, candidate.prices, options), 0);
  return costMax - costAt(costLine(size, candidate.prices, options), 0);
}

/** A conversation that was shortened for the candidate's model fits its context. */
export function promptTokensOf({ promptTokensEstimate }: CanonicalRequest, { entriesKept, model }: Candidate): number {
  if (entriesKept === undefined) return promptTokensEstimate;
  return Math.min(promptTokensEstimate, model.contextLength ?? promptTokensEstimate);
}

const sizeOf = (request: CanonicalRequest, candidate: Inspected): CallSize => ({
  promptTokens: promptTokensOf(request, candidate),
  choices: request.choiceCount,
  units: unitsMaxOf(request, candidate),
  cacheKept: candidate.inspection?.cacheKept,
});

type Inspected = Candidate & Readonly<{ inspection?: Inspection }>;

const optionsOf = (request: CanonicalRequest, candidate: Candidate): PricingOptions => ({
  completionMultiplier: completionMultiplier(request, candidate),
});

// How much output a call may come to, and how much of it must be held before it is sent. A caller's own limit is held
// whole. Without one, a stream that shows what it costs starts with a part and is extended; what cannot be watched (a
// whole answer, thinking that nobody sees) holds the most it could be, or is sent with a limit equal to what is held.

/** What a stream without a limit starts with, and is extended by. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;
/** A limit that the gateway sets is never lower than this, because a shorter answer is of no use. */
const OUTPUT_TOKENS_LEAST = 1_024;
/** For models whose longest answer the catalog does not state: as long as that of any known model. */
const OUTPUT_TOKENS_UNSTATED = 131_072;
/** A limit that a model of unknown length is sent must not be above its own, or it refuses the call. */
const LIMIT_TOKENS_UNSTATED = 16_384;

/** In tokens of each choice. */
type OutputTerms = Readonly<{
  /** The most tokens that the answer can have. */
  longest: number;
  most: number;
  /** Held where `most` is more than this call's share of what is available. */
  otherwise: number;
  least: number;
  /** The limit is not the caller's own: more may be held later, or a limit sent upstream. */
  isOpen: boolean;
  /** The output can be seen as it comes, so the gateway can stop it, and no limit has to be sent upstream. */
  isWatched: boolean;
}>;

export function outputTerms(request: CanonicalRequest, { model }: Candidate): OutputTerms {
  const outputTokensMax = outputTokensMaxOf(request, model);
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

// A picture is counted by its pixels, so a large one may come to many times the tokens of an ordinary one. Which size a
// model is asked for depends on those that it has.

const ORDINARY_PIXELS = 1_024 * 1_024;
/** No model makes larger ones. */
const PICTURE_FACTOR_MAX = 16;
const PIXELS = /^(\d{1,5})x(\d{1,5})$/;

/** For each choice; null where neither the caller nor the operation sets a limit. */
export function outputTokensMaxOf(request: CanonicalRequest, { image }: Model): number | null {
  const { outputTokensMax } = request;
  if (request.operation !== 'images' || outputTokensMax === null) return outputTokensMax;
  const { width, height } = request.body;
  const [, across, down] = PIXELS.exec(mapImageSize(request.size, image?.sizes ?? []) ?? '') ?? [];
  const pixels = Math.max(areaOf(across, down), areaOf(width, height));
  return Math.ceil(outputTokensMax * Math.min(Math.max(1, pixels / ORDINARY_PIXELS), PICTURE_FACTOR_MAX));
}

function areaOf(width: unknown, height: unknown): number {
  const pixels = Number(width) * Number(height);
  return Number.isFinite(pixels) ? pixels : 0;
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

/**
 * Whether the model may produce tokens that are not seen before the usage is reported. A model that the catalog says
 * nothing about may.
 */
function mayReasonUnseen({ wantsReasoning }: ConversationRequest, { traits, supportedParameters }: Model): boolean {
  if (traits.isReasoningMandatory || wantsReasoning === true) return true;
  if (traits.isReasoningAsked || wantsReasoning === false) return false;
  return supportedParameters === null || supportedParameters.some((name) => REASONING_PARAMETERS.has(name));
}

/**
 * The request with the limit that has to go upstream with it, where `heldTokens` of output are held for each choice.
 */
export function withinReservation(
  request: CanonicalRequest,
  candidate: Candidate,
  heldTokens: number,
): CanonicalRequest {
  if (request.operation !== 'chat') return request;
  const { most, otherwise, least, isOpen, isWatched } = outputTerms(request, candidate);
  if (!isOpen) return request;
  const { model } = candidate;
  const limit =
    isWatched || heldTokens >= most
      ? Math.min(model.completionTokensMax ?? Number.POSITIVE_INFINITY, answerTokensMax(request))
      : Math.max(least, Math.min(heldTokens, otherwise));
  // A limit that would not shorten the answer is not sent.
  return limit < (request.outputTokensMax ?? statedTokens(model)) ? request.withOutputLimit(limit) : request;
}

const statedTokens = ({ completionTokensMax, contextLength }: Model): number =>
  completionTokensMax ?? contextLength ?? OUTPUT_TOKENS_UNSTATED;

/** A free answer has a length limit of its own, whatever the caller allows. */
export function withinFree(request: CanonicalRequest, { freeShare }: Candidate): CanonicalRequest {
  if (request.operation !== 'chat' || freeShare === undefined || freeShare.exhausted !== null) return request;
  const { outputTokensMax } = freeShare;
  const isWithin = request.outputTokensMax !== null && request.outputTokensMax <= outputTokensMax;
  return isWithin ? request : request.withOutputLimit(outputTokensMax);
}

// How large the answer to a call may become, by what was asked for: choices, length, log probabilities. The bounds on
// an upstream's bytes and time are sized by it, so that no answer within its own limit ever reaches them; a call whose
// answer could not be held is refused before it is sent.

const MIB = 1024 * 1024;
/** A whole answer is kept in memory until it is paid for. */
const WHOLE_BYTES_MAX = 64 * MIB;
/** What an answer may contain besides its text: pictures, sound, citations. */
const WHOLE_BYTES_BASE = 32 * MIB;
const STREAM_BYTES_BASE = 64 * MIB;
/** Where the last event of a format repeats the whole answer, the answer must fit into one event. */
const EVENT_BYTES_MAX = 7 * MIB;
/** The worst that JSON escaping can do to a token; nearly all tokens take a quarter of it. */
const TOKEN_BYTES = 24;
/** A token with its probability and its bytes, once for itself and once for each alternative. */
const LOGPROB_BYTES = 160;
/** The envelope that a stream puts around each token. */
const FRAME_BYTES = 600;
/** A model that is slower than this is given up. */
const MS_PER_TOKEN = 60;
const TOTAL_MS_MAX = 4 * 3_600_000;
/** For operations whose answers are not counted in tokens. */
const NO_TOKENS = 0;

const bytesPerToken = ({ logprobCount }: ConversationRequest): number => TOKEN_BYTES + logprobCount * LOGPROB_BYTES;

/** How many tokens each choice may have so that the answer fits into memory; unlimited where nothing is collected. */
function answerTokensMax(request: ConversationRequest): number {
  const perToken = bytesPerToken(request) * request.choiceCount;
  if (!request.isStream) return Math.floor((WHOLE_BYTES_MAX - MIB) / perToken);
  const repeats = request.format === 'responses' && request.logprobCount > 0;
  return repeats ? Math.floor(EVENT_BYTES_MAX / perToken) : Number.MAX_SAFE_INTEGER;
}

/** Beside the caller's own limit: upstreams count a little differently, and some call a tool on the way. */
const OWN_LIMIT_SLACK_BYTES = 16 * 1024;

/** So many bytes of words no answer within the caller's own limit has. Infinite where what comes is held as it comes. */
export function ownLimitBytes(request: CanonicalRequest): number {
  if (request.operation !== 'chat' || request.outputTokensMax === null || request.isOutputLimitHabitual) {
    return Number.POSITIVE_INFINITY;
  }
  return OWN_LIMIT_SLACK_BYTES + request.outputTokensMax * request.choiceCount * TOKEN_BYTES;
}

/** Throws when an answer of the caller's own limit, or of the least useful length, would not fit into memory. */
export function refuseUnholdable(request: CanonicalRequest): void {
  if (request.operation !== 'chat') return;
  const { outputTokensMax, isOutputLimitHabitual } = request;
  const tokens = outputTokensMax === null || isOutputLimitHabitual ? OUTPUT_TOKENS_LEAST : outputTokensMax;
  const tokensMax = answerTokensMax(request);
  if (tokens <= tokensMax) return;
  const remedy = request.isStream ? 'fewer log probabilities' : 'fewer choices or log probabilities, or a stream';
  throw new ApiError(
    'max_tokens_invalid',
    `The answer could be larger than can be delivered: with these choices and log probabilities at most ${tokensMax} tokens fit. Ask for ${remedy}, or for a lower max_tokens.`,
  );
}

/** Bounds everything the upstream may send in answer. */
export function answerBytesMax(request: CanonicalRequest, tokensMax: number): number {
  if (request.operation !== 'chat') return request.isStream ? STREAM_BYTES_BASE : WHOLE_BYTES_BASE;
  const perToken = bytesPerToken(request) + (request.isStream ? FRAME_BYTES : 0);
  const ofTokens = tokensMax * request.choiceCount * perToken;
  return (request.isStream ? STREAM_BYTES_BASE : WHOLE_BYTES_BASE) + Math.min(ofTokens, Number.MAX_SAFE_INTEGER / 2);
}

/** How long an answer of this many tokens may take in all. */
export function answerTotalMs(request: CanonicalRequest, tokensMax: number, totalMs: number): number {
  const tokens = request.operation === 'chat' ? tokensMax : NO_TOKENS;
  return Math.max(totalMs, Math.min(tokens * MS_PER_TOKEN, TOTAL_MS_MAX));
}
