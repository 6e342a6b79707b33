// The settings of a conversation in this API's words. Thinking is a level for newer models and a budget of tokens for
// older ones, and a model that cannot think refuses both.

import type {
  Conversation,
  ReasoningSettings,
  ResponseFormat,
  Tool,
  ToolChoice,
} from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate, Model } from '../../../canonical/model.ts';
import { type ConversationRequest, wantsWeb } from '../../../canonical/request.ts';
import { asObjectSchema } from '../../object-schema.ts';
import { schemaAdapter } from './adapt-schema.ts';

const STOP_SEQUENCES_MAX = 5;
const RATIO = /^\d{1,2}:\d{1,2}$/;

/** Effort in tokens, as the vendor itself converts it. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1_024],
  ['low', 1_024],
  ['medium', 8_192],
  ['high', 24_576],
  ['xhigh', 24_576],
  ['max', 24_576],
]);
const LEVELS: ReadonlyMap<string, string> = new Map([
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
]);
/** The first of the newer models knows only two levels, and the vendor takes the higher one for what is between. */
const TWO_LEVELS = /gemini-3-pro/i;
/** For a model that cannot stop thinking completely. */
const LEAST_BUDGET = 128;
/** Some of the smaller ones think less than the lowest level of the others even when nothing is said. */
const leastLevel = (upstreamModel: string): string => (/flash/i.test(upstreamModel) ? 'minimal' : 'low');

const GENERATION = /gemini-(\d+)/i;

/** Zero where the name does not tell. */
export function generationOf(upstreamModel: string): number {
  return Number(GENERATION.exec(upstreamModel)?.[1] ?? 0);
}

export function encodeGenerationConfig(
  conversation: Conversation,
  request: ConversationRequest,
  candidate: Candidate,
): JsonObject {
  const { sampling, outputTokensMax, responseFormat, reasoning } = conversation;
  const stop = sampling.stop?.filter((sequence) => sequence !== '').slice(0, STOP_SEQUENCES_MAX) ?? [];
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    topK: sampling.topK,
    // Zero is the default anyway, and models without penalties refuse it.
    frequencyPenalty: sampling.frequencyPenalty === 0 ? undefined : sampling.frequencyPenalty,
    presencePenalty: sampling.presencePenalty === 0 ? undefined : sampling.presencePenalty,
    seed: sampling.seed,
    maxOutputTokens: outputTokensMax,
    stopSequences: stop.length === 0 ? undefined : stop,
    ...encodeFormat(responseFormat),
    ...(request.needs.imageOutput ? { responseModalities: ['TEXT', 'IMAGE'], ...encodeShape(request) } : {}),
    ...encodeLogprobs(request),
    thinkingConfig: encodeThinking(reasoning, request, candidate),
  };
}

/** The shape of a picture costs nothing. Its size does, and the caller's words for sizes are not those of this API. */
function encodeShape({ body: { image_config: config } }: ConversationRequest): JsonObject {
  const ratio = isJsonObject(config) ? config.aspect_ratio : undefined;
  return typeof ratio === 'string' && RATIO.test(ratio) ? { imageConfig: { aspectRatio: ratio } } : {};
}

/** The count includes the chosen token. */
function encodeLogprobs({ logprobCount }: ConversationRequest): JsonObject {
  if (logprobCount === 0) return {};
  return { responseLogprobs: true, ...(logprobCount === 1 ? {} : { logprobs: logprobCount - 1 }) };
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  if (format === undefined || format.type === 'text') return {};
  if (format.type === 'json-object') return { responseMimeType: 'application/json' };
  return { responseMimeType: 'application/json', responseSchema: schemaAdapter()(format.schema) };
}

function encodeThinking(
  reasoning: ReasoningSettings | undefined,
  { hidesReasoning }: ConversationRequest,
  { upstreamModel, model }: Candidate,
): JsonObject | undefined {
  if (reasoning === undefined || !mayReason(model)) return undefined;
  const { effort, tokensMax, isEnabled } = reasoning;
  const isNew = generationOf(upstreamModel) >= 3;
  if (isEnabled === false || tokensMax === 0) {
    if (model.traits.isReasoningMandatory) return undefined;
    if (isNew) return { thinkingLevel: leastLevel(upstreamModel) };
    return { thinkingBudget: /-pro\b/.test(upstreamModel) ? LEAST_BUDGET : 0 };
  }
  const level = isNew && tokensMax === undefined && effort !== undefined ? levelOf(effort, upstreamModel) : undefined;
  const budget = tokensMax ?? (isNew || effort === undefined ? undefined : BUDGETS.get(effort));
  return {
    ...(hidesReasoning ? {} : { includeThoughts: true }),
    ...(level === undefined ? {} : { thinkingLevel: level }),
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
}

function levelOf(effort: string, upstreamModel: string): string | undefined {
  if (effort === 'minimal') return leastLevel(upstreamModel);
  return effort === 'medium' && TWO_LEVELS.test(upstreamModel) ? 'high' : LEVELS.get(effort);
}

/** When the catalog does not say what a model takes, the caller's setting is sent. */
function mayReason({ supportedParameters }: Model): boolean {
  if (supportedParameters === null) return true;
  return supportedParameters.includes('reasoning') || supportedParameters.includes('reasoning_effort');
}

export function encodeTools(conversation: Conversation, { plugins }: ConversationRequest): JsonObject {
  const { tools, offeredTools, toolChoice } = conversation;
  const offered: JsonObject[] = [];
  const adapt = schemaAdapter();
  // Which functions are allowed can be said only where one of them must be called.
  const isSaid = offeredTools !== undefined && toolChoice === 'required';
  const declared = isSaid ? offeredTools : tools;
  if (tools.length > 0) offered.push({ functionDeclarations: declared.map((tool) => encodeTool(tool, adapt)) });
  if (wantsWeb(plugins)) offered.push({ googleSearch: {} });
  if (offered.length === 0) return {};
  const names = isSaid ? { allowedFunctionNames: tools.map(({ name }) => name) } : {};
  const choice = tools.length === 0 ? undefined : encodeToolChoice(toolChoice);
  const config = choice === undefined ? undefined : { ...choice, ...names };
  return { tools: offered, ...(config === undefined ? {} : { toolConfig: { functionCallingConfig: config } }) };
}

function encodeTool({ name, description, parameters }: Tool, adapt: (schema: JsonObject) => JsonObject): JsonObject {
  const schema = adapt(asObjectSchema(parameters));
  return {
    name,
    ...(description === undefined || description === '' ? {} : { description }),
    // A function without parameters leaves them out, because an object without members is refused.
    ...(schema.properties === undefined ? {} : { parameters: schema }),
  };
}

function encodeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined;
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  return { mode: choice === 'none' ? 'NONE' : choice === 'required' ? 'ANY' : 'AUTO' };
}
