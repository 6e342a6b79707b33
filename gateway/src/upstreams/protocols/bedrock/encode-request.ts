// Writes a Converse call, or one of its stream. No client speaks this format, so every body is written from the
// conversation. Settings that only some models know are sent beside the common fields.

import type { Conversation, ToolChoice } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { fitCallIds, fitCallName } from '../../call-ids.ts';
import { formatWords } from '../../format-words.ts';
import { objectSchemas } from '../../object-schema.ts';
import type { TextCall } from '../../protocol.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { encodeCallId } from '../anthropic/encode-content.ts';
import { encodeEffort, encodeThinking } from '../anthropic/encode-thinking.ts';
import { forcingWords, wordsOfChoice } from '../anthropic/encode-tools.ts';
import { encodeTurns as encodeMessagesTurns } from '../anthropic/encode-turns.ts';
import { isAdaptive, wantsLastWord } from '../anthropic/model-version.ts';
import { withoutThinking } from '../anthropic/omit-thinking.ts';
import { effortOf } from '../openai/effort.ts';
import { fitPoints, pointRulesOf } from './cache-points.ts';
import { encodeId, encodeTurns, NAME_LENGTH_MAX, shortId, withPoint } from './encode-blocks.ts';
import { isAnthropicModel, isNova, modelPath } from './model-path.ts';
import { withPlainResults } from './plain-results.ts';

export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream';

const OUTPUT_TOKENS_DEFAULT = 4_096;

export function encodeRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const verb = request.isStream ? 'converse-stream' : 'converse';
  return {
    path: `${modelPath(candidate)}/${verb}`,
    body: stringifyExactJson(encodeBody(askedOf(request, candidate), candidate)),
    ...(request.isStream ? { accept: EVENT_STREAM_TYPE } : {}),
  };
}

/** Thinking with its proof is a model's of Anthropic; all others refuse it. */
function askedOf(request: ConversationRequest, candidate: Candidate): Conversation {
  const asked = request.toConversation();
  const isAnthropic = isAnthropicModel(candidate);
  const { messages: said } = candidate.omitsReasoning === true || !isAnthropic ? withoutThinking(asked) : asked;
  const messages = isAnthropic || isNova(candidate) ? said : withPlainResults(said);
  return { ...asked, messages: fitCallIds(messages, isAnthropic ? (id) => shortId(encodeCallId(id)) : encodeId) };
}

function encodeBody(conversation: Conversation, candidate: Candidate): JsonObject {
  const { system, messages } = encodeTurns(
    conversation.messages,
    !isAnthropicModel(candidate) || wantsLastWord(candidate),
  );
  const rules = pointRulesOf(candidate);
  const forcing = forcingOf(conversation, candidate);
  // There is no field for it that all models know.
  const format = formatWords(conversation.responseFormat);
  const words = [format, forcing].flatMap((text) => (text === null ? [] : [{ text }]));
  const instructions = [...system, ...words];
  const { fields, takesSampling } = encodeModelFields(conversation, candidate);
  const { sampling, outputTokensMax } = conversation;
  const { temperature } = sampling;
  // Newer models of Anthropic refuse both together, and the temperature is the one that callers usually mean.
  const takesTopP = takesSampling && (temperature === undefined || !isAnthropicModel(candidate));
  const stop = sampling.stop?.filter((sequence) => sequence.trim() !== '') ?? [];
  return {
    messages: refuseNothing(messages).map(({ role, content }) => ({
      role,
      content: fitPoints(content, rules.inPrompt, rules),
    })),
    ...(instructions.length === 0 ? {} : { system: fitPoints(instructions, rules.inPrompt, rules) }),
    inferenceConfig: {
      maxTokens: outputTokensMax ?? candidate.model.completionTokensMax ?? undefined,
      temperature: takesSampling ? clampedTemperature(temperature) : undefined,
      topP: takesTopP ? sampling.topP : undefined,
      stopSequences: stop.length === 0 ? undefined : stop,
    },
    toolConfig: encodeTools(forcing === null ? conversation : { ...conversation, toolChoice: 'auto' }, candidate),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: fields }),
    ...encodeGuardrail(candidate),
  };
}

/** Other vendors' scale goes to 2; here anything above 1 is refused. */
function clampedTemperature(temperature: number | undefined): number | undefined {
  return temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1);
}

function encodeTools(conversation: Conversation, candidate: Candidate): JsonObject | undefined {
  const rules = pointRulesOf(candidate);
  const { tools, toolChoice } = conversation;
  const asObject = objectSchemas();
  const named = tools.map(({ name, description, parameters, cacheControl }) => {
    const toolSpec = {
      name,
      ...(description === undefined || description === '' ? {} : { description }),
      inputSchema: { json: asObject(parameters) },
    };
    return withPoint({ toolSpec }, cacheControl);
  });
  // Calls in the history are refused where no tools are offered, so the called tools are offered.
  const known = new Set(tools.map(({ name }) => name));
  const called = calledNames(conversation).filter((name) => !known.has(name));
  const isNone = toolChoice === 'none' && called.length === 0 && calledNames(conversation).length === 0;
  const offered = [
    ...fitPoints(named.flat(), rules.inTools, rules),
    ...(tools.length === 0 ? called.map(bareTool) : []),
  ];
  if (offered.length === 0 || isNone) return undefined;
  // A free choice is the default, and some models refuse to be told.
  const isSaid = tools.length > 0 && (toolChoice !== 'auto' || takesChoices(candidate));
  const choice = isSaid ? encodeToolChoice(toolChoice) : undefined;
  return { tools: offered, ...(choice === undefined ? {} : { toolChoice: choice }) };
}

const MISTRAL = /\bmistral\./;

/** The words for a choice that the model does not take; null where it does, or where nothing is forced. */
function forcingOf(conversation: Conversation, candidate: Candidate): string | null {
  if (isAnthropicModel(candidate)) return forcingWords(conversation, candidate);
  const { tools, toolChoice } = conversation;
  const isTaken = takesChoices(candidate) || (MISTRAL.test(candidate.upstreamModel) && toolChoice === 'required');
  return tools.length === 0 || isTaken ? null : wordsOfChoice(toolChoice);
}

/** A name without a vendor tells nothing. */
const takesChoices = (candidate: Candidate): boolean =>
  isAnthropicModel(candidate) || isNova(candidate) || !candidate.upstreamModel.includes('.');

function calledNames({ messages }: Conversation): readonly string[] {
  const names = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'tool-call' ? [fitCallName(part.name, NAME_LENGTH_MAX)] : []))
      : [],
  );
  return [...new Set(names)];
}

const bareTool = (name: string): JsonObject => ({
  toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } } },
});

function encodeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (typeof choice === 'object') return { tool: { name: choice.name } };
  if (choice === 'required') return { any: {} };
  return choice === 'auto' ? { auto: {} } : undefined;
}

/** `takesSampling`: a model of Anthropic's takes no temperature while it thinks, and newer ones never do. */
type ModelFields = Readonly<{ fields: JsonObject; takesSampling: boolean }>;

function encodeModelFields(conversation: Conversation, candidate: Candidate): ModelFields {
  const { reasoning, sampling, toolChoice } = conversation;
  const { model, upstreamModel } = candidate;
  if (isAnthropicModel(candidate)) {
    const thinking = encodeThinking(reasoning, {
      maxTokens: conversation.outputTokensMax ?? model.completionTokensMax ?? OUTPUT_TOKENS_DEFAULT,
      turns: encodeMessagesTurns(conversation.messages, wantsLastWord(candidate)).turns,
      isToolForced: toolChoice === 'required' || typeof toolChoice === 'object',
      candidate,
    });
    // Off is the default of earlier models, of which some do not know the word.
    const isSaid = thinking !== undefined && (thinking.type !== 'disabled' || isAdaptive(candidate));
    const takesSampling = !isSaid && !isAdaptive(candidate);
    const topK = takesSampling && sampling.topK !== undefined && sampling.topK > 0 ? { top_k: sampling.topK } : {};
    const output = encodeEffort(reasoning, thinking);
    const outputConfig = output.effort === undefined ? {} : { output_config: output };
    return { fields: { ...topK, ...(isSaid ? { thinking } : {}), ...outputConfig }, takesSampling };
  }
  const asked = reasoning === undefined ? undefined : effortOf(reasoning);
  if (asked === undefined) return { fields: {}, takesSampling: true };
  const effort = NEAREST_EFFORTS.get(asked) ?? asked;
  if (upstreamModel.includes('nova-2')) {
    // The highest takes no limit of the answer, and every answer has one.
    const most = effort === 'high' ? 'medium' : effort;
    return { fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: most } }, takesSampling: true };
  }
  return { fields: upstreamModel.includes('openai.') ? { reasoning_effort: effort } : {}, takesSampling: true };
}

/** Other vendors' models have three levels here, and refuse any other word. */
const NEAREST_EFFORTS: ReadonlyMap<string, string> = new Map([
  ['minimal', 'low'],
  ['xhigh', 'high'],
  ['max', 'high'],
]);

/** The operator's own guardrail, where the provider's entry names one. */
function encodeGuardrail({ provider }: Candidate): JsonObject {
  const { guardrail_id: guardrailIdentifier, guardrail_version: guardrailVersion = 'DRAFT' } = provider.settings ?? {};
  return guardrailIdentifier === undefined ? {} : { guardrailConfig: { guardrailIdentifier, guardrailVersion } };
}
