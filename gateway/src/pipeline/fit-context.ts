// Does the prompt fit into the model's context? Nearly every prompt does by the estimate that parsing made, and costs
// nothing here. Only where that leaves doubt are tokens counted, and only then may messages go from the middle.

import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { ApiError } from '../errors/api-error.ts';
import { overflowMessage } from '../errors/context-overflow.ts';
import { type Count, countEach, midpoint, totalOf } from '../modules/tokens/count.ts';
import { type Prompt, shorten } from '../modules/tokens/middle-out.ts';
import { measurePrompt, readTurns, roughTotal } from './measure-prompt.ts';
import { refuseLongInputs } from './refuse-long-inputs.ts';
import type { Resolution } from './resolve.ts';

export type Fitted = Readonly<{
  /** With fewer messages, where some had to go. */
  request: CanonicalRequest;
  /** Without the fallbacks that could not hold the prompt. */
  resolution: Resolution;
}>;

/** Specification, transforms: up to this context length trimming needs no asking. */
const UNASKED_CONTEXT_MAX = 8_192;
const MIDDLE_OUT = 'middle-out';

/** Trimming leaves room for an answer: what the caller asked for, up to a half, or this much. */
const ANSWER_SHARE_MAX = 1 / 2;
const ANSWER_SHARE_DEFAULT = 1 / 8;
const ANSWER_TOKENS_DEFAULT = 512;

export function fitContext(request: CanonicalRequest, resolution: Resolution): Fitted | Promise<Fitted> {
  if (request.operation !== 'chat') return refuseLongInputs(request, resolution) ?? { request, resolution };
  const isRoomy = [resolution.primary, ...resolution.fallbacks].every(({ model }) => fitsByEstimate(request, model));
  return isRoomy ? { request, resolution } : fit(request, resolution);
}

async function fit(request: ConversationRequest, resolution: Resolution): Promise<Fitted> {
  const { model } = resolution.primary;
  const turns = readTurns(request);
  const prompt = await measurePrompt(turns);
  const kept = fitsByEstimate(request, model) ? null : await turnsThatFit(request, model, prompt);
  const measures = prompt.measures.filter((_, index) => kept === null || kept.has(index));
  const length = roughTotal({ frame: prompt.frame, measures });
  // A family's limit on messages is about what was sent, so the number stays.
  const fitted =
    kept === null ? request : { ...request.withBody(turns.keep(kept)), messageCount: request.messageCount };
  const fallbacks = resolution.fallbacks.filter((fallback) => {
    const { contextLength } = fallback.model;
    return contextLength === null || fitsByEstimate(fitted, fallback.model) || length.low <= contextLength;
  });
  return { request: fitted, resolution: { ...resolution, fallbacks } };
}

/** Null when all of them may stay. */
async function turnsThatFit(
  request: ConversationRequest,
  model: Model,
  prompt: Prompt,
): Promise<ReadonlySet<number> | null> {
  const { contextLength, traits } = model;
  if (contextLength === null) return null;
  const roomTokens = promptRoom(request, contextLength);
  const count = await countAgainst(prompt, roomTokens, model);
  if (!mayTrim(request, contextLength)) {
    if (count.low > contextLength) throw tooLong(model, count, 'Or send transforms:["middle-out"].');
    return null;
  }
  if (count.high <= roomTokens) return null;
  const shortened = await shorten(prompt, roomTokens, traits.tokenizer);
  if (shortened.count.low > contextLength) {
    throw tooLong(model, shortened.count, 'Nothing more can be left out of its middle.');
  }
  return shortened.kept.size === prompt.turns.length ? null : shortened.kept;
}

/** Counts exactly only where the estimate leaves it open on which side of the limit the prompt lies. */
async function countAgainst(prompt: Prompt, limitTokens: number, model: Model): Promise<Count> {
  const rough = roughTotal(prompt);
  if (rough.high <= limitTokens || rough.low > limitTokens) return rough;
  return totalOf(await countEach([prompt.frame, ...prompt.measures], model.traits.tokenizer));
}

function fitsByEstimate(request: ConversationRequest, { contextLength }: Model): boolean {
  return contextLength === null || request.promptTokensEstimate <= promptRoom(request, contextLength);
}

/** Without trimming the whole context counts: whether it also holds the answer is for the upstream to say. */
function promptRoom(request: ConversationRequest, contextLength: number): number {
  return mayTrim(request, contextLength) ? contextLength - answerTokens(request, contextLength) : contextLength;
}

function mayTrim(request: ConversationRequest, contextLength: number): boolean {
  if (request.transforms !== null) return request.transforms.includes(MIDDLE_OUT);
  return contextLength <= UNASKED_CONTEXT_MAX;
}

function answerTokens({ outputTokensMax }: ConversationRequest, contextLength: number): number {
  if (outputTokensMax !== null) return Math.min(outputTokensMax, Math.floor(contextLength * ANSWER_SHARE_MAX));
  return Math.min(ANSWER_TOKENS_DEFAULT, Math.floor(contextLength * ANSWER_SHARE_DEFAULT));
}

function tooLong(model: Model, count: Count, advice: string): ApiError {
  const overflow = { tokens: midpoint(count), tokensMax: model.contextLength };
  return new ApiError('context_too_long', `${overflowMessage(overflow)} ${advice}`, { overflow });
}
