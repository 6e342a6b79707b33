// Does the prompt fit into the model's context? Nearly every prompt does by the estimate that parsing made, and costs
// nothing here. Only where that leaves doubt are tokens counted, and only then may messages go from the middle.

import type { ConversationFormat } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Candidate, Model, Resolution, ResolvedModel } from '../canonical/model.ts';
import type { CanonicalRequest, EmbeddingInput } from '../canonical/operation.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { Turns } from '../canonical/turns.ts';
import { readChatTurns } from '../dialects/chat/drop-middle.ts';
import { managesContext } from '../dialects/manages-context.ts';
import { readMessagesTurns } from '../dialects/messages/drop-middle.ts';
import { readResponsesTurns } from '../dialects/responses/drop-middle.ts';
import { ApiError } from '../errors/api-error.ts';
import { overflowMessage } from '../errors/context-overflow.ts';
import { type Count, countEach, midpoint, roughCount, totalOf } from '../modules/tokens/count.ts';
import { measureEach, measureFrame } from '../modules/tokens/measure.ts';
import { type Prompt, shorten } from '../modules/tokens/middle-out.ts';

type Fitted = Readonly<{
  /** With fewer messages, where some were trimmed for the only model. */
  request: CanonicalRequest;
  /** Without the fallback models whose context is too small for the prompt; with what others of them may keep of it. */
  resolution: Resolution;
}>;

/** Specification, transforms: up to this context length a prompt is trimmed without being asked for. */
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
  const prompt = await measurePrompt(readTurns(request));
  const entriesKept = await turnsThatFit(request, resolution.primary.model, prompt);
  const fallbacks: ResolvedModel[] = [];
  for (const fallback of resolution.fallbacks) {
    const fitted = await fitFallback(fallback, request, prompt);
    if (fitted !== null) fallbacks.push(fitted);
  }
  if (entriesKept === null) return { request, resolution: { ...resolution, fallbacks } };
  // Where no other model may need the rest, nobody reads, holds or counts it.
  if (fallbacks.length === 0)
    return { request: keepEntries(request, entriesKept), resolution: { ...resolution, fallbacks } };
  return { request, resolution: { ...resolution, primary: { ...resolution.primary, entriesKept }, fallbacks } };
}

/** Null when the prompt is too long for it, which is not the caller's mistake where another model was named first. */
async function fitFallback(
  fallback: ResolvedModel,
  request: ConversationRequest,
  prompt: Prompt,
): Promise<ResolvedModel | null> {
  const { model } = fallback;
  const { contextLength } = model;
  if (contextLength === null || fitsByEstimate(request, model)) return fallback;
  if (!mayTrim(request, contextLength)) return roughTotal(prompt).low <= contextLength ? fallback : null;
  try {
    const entriesKept = await turnsThatFit(request, model, prompt);
    return entriesKept === null ? fallback : { ...fallback, entriesKept };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** The request as a candidate gets it: shortened for a model that holds less of it than others of the call. */
export function fittedTo(request: CanonicalRequest, { entriesKept }: Candidate): CanonicalRequest {
  return request.operation === 'chat' && entriesKept !== undefined ? keepEntries(request, entriesKept) : request;
}

/** A family's limit on the number of messages counts those that were sent, so the number stays. */
function keepEntries(request: ConversationRequest, kept: ReadonlySet<number>): ConversationRequest {
  return { ...request.withBody(readTurns(request).keep(kept)), messageCount: request.messageCount };
}

/** Null when no message has to be trimmed. */
async function turnsThatFit(
  request: ConversationRequest,
  model: Model,
  prompt: Prompt,
): Promise<ReadonlySet<number> | null> {
  const { contextLength, traits } = model;
  if (contextLength === null || fitsByEstimate(request, model)) return null;
  const roomTokens = promptRoom(request, contextLength);
  const count = await countAgainst(prompt, roomTokens, model);
  if (!mayTrim(request, contextLength)) {
    if (count.low > contextLength && !managesContext(request.body))
      throw tooLong(model, count, 'Or send transforms:["middle-out"].');
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

// A conversation taken apart and measured entry by entry, whichever dialect it came in. It costs time in proportion to
// the prompt, so it is only done where the estimate that parsing made leaves something open.

const turnReaders: Readonly<Record<ConversationFormat, (body: JsonObject) => Turns>> = {
  chat: readChatTurns,
  responses: readResponsesTurns,
  messages: readMessagesTurns,
  // The parser has made a chat body of it.
  completions: readChatTurns,
};

export function readTurns({ format, body }: ConversationRequest): Turns {
  return turnReaders[format](body);
}

export async function measurePrompt({ list, frame }: Turns): Promise<Prompt> {
  const measures = await measureEach(list.map(({ content }) => content));
  return { turns: list, measures, frame: measureFrame(frame) };
}

export function roughTotal({ frame, measures }: Pick<Prompt, 'frame' | 'measures'>): Count {
  return totalOf([frame, ...measures].map(roughCount));
}

// Inputs that a model reads one by one must each fit its context. Nothing is ever cut: half a text has another meaning,
// and its vector would look as good as any.

type Fitting = Readonly<{ request: CanonicalRequest; resolution: Resolution }>;

/** Null when all of them fit by the estimate, as they nearly always do. */
function refuseLongInputs(request: CanonicalRequest, resolution: Resolution): Promise<Fitting> | null {
  if (!('inputs' in request)) return null;
  const { model } = resolution.primary;
  const { contextLength } = model;
  if (contextLength === null || request.promptTokensEstimate <= contextLength) return null;
  const doubtful = request.inputs.flatMap((input, index) =>
    input.tokensEstimate > contextLength ? [{ input, index }] : [],
  );
  if (doubtful.length === 0) return null;
  return refuse(doubtful, model).then(() => ({ request, resolution }));
}

type Doubtful = Readonly<{ input: EmbeddingInput; index: number }>;

async function refuse(doubtful: readonly Doubtful[], model: Model): Promise<void> {
  const measures = await measureEach(doubtful.map(({ input }) => input.texts));
  // There are no roles and separators around an input.
  const bare = measures.map((measure) => ({ ...measure, overheadTokens: 0 }));
  const counts = await countEach(bare, model.traits.tokenizer);
  for (const [place, { input, index }] of doubtful.entries()) {
    const tokens = input.isExact ? input.tokensEstimate : (counts[place]?.low ?? 0);
    if (model.contextLength === null || tokens <= model.contextLength) continue;
    const overflow = { tokens, tokensMax: model.contextLength };
    throw new ApiError('context_too_long', overflowMessage(overflow, `input[${index}]`), { overflow });
  }
}
