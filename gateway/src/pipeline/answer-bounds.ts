// How large the answer to a call may become, by what was asked for: choices, length, log probabilities. The bounds on an
// upstream's bytes and time are sized by it, so that no answer within its own limit ever reaches them; a call whose answer
// could not be held is refused before it is sent.

import type { CanonicalRequest } from '../canonical/operation.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { ApiError } from '../errors/api-error.ts';

const MIB = 1024 * 1024;
/** A whole answer is kept in memory until it is paid for. */
const WHOLE_BYTES_MAX = 64 * MIB;
/** What an answer may have besides its text: pictures, sound, citations. */
const WHOLE_BYTES_BASE = 32 * MIB;
const STREAM_BYTES_BASE = 64 * MIB;
/** Formats whose last event repeats the whole answer cannot say more than one event may hold. */
const EVENT_BYTES_MAX = 7 * MIB;
/** Escaped as badly as JSON allows; nearly all tokens take a quarter of it. */
const TOKEN_BYTES = 24;
/** A token with its probability and its bytes, once for itself and once for each alternative. */
const LOGPROB_BYTES = 160;
/** The envelope that a stream puts around each token. */
const FRAME_BYTES = 600;
/** Slower models than this are given up on. */
const MS_PER_TOKEN = 60;
const TOTAL_MS_MAX = 4 * 3_600_000;
/** For operations whose answers are not counted in tokens. */
const NO_TOKENS = 0;

const bytesPerToken = ({ logprobCount }: ConversationRequest): number => TOKEN_BYTES + logprobCount * LOGPROB_BYTES;

/** How many tokens each choice may have so that the answer can be held; without end where nothing is collected. */
export function answerTokensMax(request: ConversationRequest): number {
  const perToken = bytesPerToken(request) * request.choiceCount;
  if (!request.isStream) return Math.floor((WHOLE_BYTES_MAX - MIB) / perToken);
  const repeats = request.format === 'responses' && request.logprobCount > 0;
  return repeats ? Math.floor(EVENT_BYTES_MAX / perToken) : Number.MAX_SAFE_INTEGER;
}

/** Throws when the caller's own limit, or the least that an answer is of use with, could not be held. */
export function refuseUnholdable(request: CanonicalRequest, leastTokens: number): void {
  if (request.operation !== 'chat') return;
  const { outputTokensMax, isOutputLimitHabitual } = request;
  const tokens = outputTokensMax === null || isOutputLimitHabitual ? leastTokens : outputTokensMax;
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
