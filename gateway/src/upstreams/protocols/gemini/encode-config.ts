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
import { formatWords } from '../../format-words.ts';
import { objectSchemas } from '../../object-schema.ts';
import { effortOf } from '../openai/effort.ts';
import { schemaAdapter } from './adapt-schema.ts';
import { isNewer, isStrict, leastLevel } from './model-version.ts';

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
const FLASH_IMAGE = /flash.*image/i;
/** The least and the most of each kind of model, by its name; what is beyond is refused. */
const BUDGET_RANGES: readonly (readonly [RegExp, number, number])[] = [
  [/-pro\b/i, 128, 32_768],
  [/flash-lite/i, 512, 24_576],
  [/flash/i, 1, 24_576],
];
const SEED_MAX = 2 ** 31 - 1;

export function encodeGenerationConfig(
  conversation: Conversation,
  request: ConversationRequest,
  candidate: Candidate,
): JsonObject {
  const { outputTokensMax, responseFormat, reasoning, tools } = conversation;
  const { temperature, topP, topK, ...sampling } = conversation.sampling;
  const { upstreamModel } = candidate;
  const { seed = 0 } = sampling;
  const stop = sampling.stop?.filter((sequence) => sequence !== '').slice(0, STOP_SEQUENCES_MAX) ?? [];
  return {
    // The newest have their own, and will come to refuse any other.
    ...(isStrict(upstreamModel) ? {} : { temperature, topP, topK }),
    // Zero is the default anyway, and models without penalties refuse it.
    frequencyPenalty: sampling.frequencyPenalty === 0 ? undefined : sampling.frequencyPenalty,
    presencePenalty: sampling.presencePenalty === 0 ? undefined : sampling.presencePenalty,
    // Others have larger ones. A seed is best effort.
    seed: Number.isInteger(seed) && Math.abs(seed) <= SEED_MAX ? sampling.seed : undefined,
    maxOutputTokens: outputTokensMax,
    stopSequences: stop.length === 0 ? undefined : stop,
    ...(isFormatTaken(upstreamModel, tools) ? encodeFormat(responseFormat) : {}),
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

/** Earlier models refuse a form of the answer beside tools; they are told in words. */
const isFormatTaken = (upstreamModel: string, tools: readonly Tool[]): boolean =>
  tools.length === 0 || isNewer(upstreamModel);

export function encodeFormatWords(
  { responseFormat, tools }: Conversation,
  upstreamModel: string,
): readonly JsonObject[] {
  const words = isFormatTaken(upstreamModel, tools) ? null : formatWords(responseFormat);
  return words === null ? [] : [{ text: words }];
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
  const isNew = isNewer(upstreamModel);
  if (isEnabled === false || tokensMax === 0) {
    if (model.traits.isReasoningMandatory) return undefined;
    if (isNew) return { thinkingLevel: leastLevel(upstreamModel) };
    return { thinkingBudget: /-pro\b/.test(upstreamModel) ? withinRange(0, upstreamModel) : 0 };
  }
  const asked = isNew ? effortOf(reasoning) : undefined;
  const level = asked === undefined ? undefined : levelOf(asked, upstreamModel);
  const wanted = isNew ? undefined : (tokensMax ?? BUDGETS.get(effort ?? ''));
  const budget = wanted === undefined ? undefined : withinRange(wanted, upstreamModel);
  return {
    ...(hidesReasoning ? {} : { includeThoughts: true }),
    ...(level === undefined ? {} : { thinkingLevel: level }),
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
}

function withinRange(budget: number, upstreamModel: string): number {
  const [, least, most] = BUDGET_RANGES.find(([name]) => name.test(upstreamModel)) ?? [null, budget, budget];
  return Math.min(Math.max(budget, least), most);
}

function levelOf(effort: string, upstreamModel: string): string | undefined {
  const level = effort === 'minimal' ? leastLevel(upstreamModel) : LEVELS.get(effort);
  // Models for pictures know only the two ends.
  if (FLASH_IMAGE.test(upstreamModel)) return level === undefined || level === 'high' ? level : 'minimal';
  return level === 'medium' && TWO_LEVELS.test(upstreamModel) ? 'high' : level;
}

/** When the catalog does not say what a model takes, the caller's setting is sent. */
function mayReason({ supportedParameters }: Model): boolean {
  if (supportedParameters === null) return true;
  return supportedParameters.includes('reasoning') || supportedParameters.includes('reasoning_effort');
}

export function encodeTools(conversation: Conversation, { plugins }: ConversationRequest): JsonObject {
  const { tools, offeredTools, toolChoice } = conversation;
  const offered: JsonObject[] = [];
  const asObject = objectSchemas();
  const adapt = schemaAdapter();
  // Which functions are allowed can be said only where one of them must be called.
  const isSaid = offeredTools !== undefined && toolChoice === 'required';
  const declared = isSaid ? offeredTools : tools;
  if (tools.length > 0)
    offered.push({
      functionDeclarations: declared.map((tool) => encodeTool(tool, (schema) => adapt(asObject(schema)))),
    });
  // Beside functions a search is refused, or wants its own calls back with every turn.
  else if (wantsWeb(plugins)) offered.push({ googleSearch: {} });
  if (offered.length === 0) return {};
  const names = isSaid ? { allowedFunctionNames: tools.map(({ name }) => name) } : {};
  const choice = tools.length === 0 ? undefined : encodeToolChoice(toolChoice);
  const config = choice === undefined ? undefined : { ...choice, ...names };
  return { tools: offered, ...(config === undefined ? {} : { toolConfig: { functionCallingConfig: config } }) };
}

function encodeTool({ name, description, parameters }: Tool, adapt: (schema: JsonObject) => JsonObject): JsonObject {
  const schema = adapt(parameters);
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
