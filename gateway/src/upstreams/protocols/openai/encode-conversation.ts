// Writes a chat completions body for a caller of another dialect. It has what the caller asked for and this upstream
// can be expected to know: a strict upstream refuses the whole call for an unknown field, so in doubt a field is left
// out.

import type { Conversation, ReasoningSettings, ResponseFormat, Tool } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate, FamilyTraits, Model } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { paidExtras } from '../../paid-extras.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { knownEffortOf } from './effort.ts';
import { encodeMessages, markerOf } from './encode-messages.ts';
import { isStoppable, thinkingBackOf } from './thinking-back.ts';
import { takesVendorTools } from './vendor-tools.ts';
import { limitNameAt } from './vendors.ts';

/** Members that are undefined are left out of the text. */
export function encodeConversation(request: ConversationRequest, candidate: Candidate): JsonObject {
  const conversation = request.toConversation();
  const { model, upstreamModel } = candidate;
  const { traits } = model;
  return {
    model: upstreamModel,
    messages: refuseNothing(encodeMessages(conversation.messages, traits, thinkingBackOf(candidate))),
    ...encodeTools(conversation, candidate),
    response_format: encodeResponseFormat(conversation.responseFormat),
    ...encodeSampling(conversation, candidate),
    ...encodeReasoning(conversation.reasoning, request, candidate),
    ...encodeLogprobs(request, model),
    user: traits.keepsOpenAiOnlyFields ? conversation.endUserId : undefined,
    ...paidExtras(request, candidate, 'chat'),
    stream: request.isStream ? true : undefined,
    // The gateway bills by the usage record, so it always asks for one.
    stream_options: request.isStream ? { include_usage: true } : undefined,
  };
}

function encodeTools(conversation: Conversation, candidate: Candidate): JsonObject {
  const { tools, offeredTools, toolChoice, isParallelToolCalls } = conversation;
  const { traits } = candidate.model;
  // Without tools even the choice `none` is refused.
  if (tools.length === 0) return {};
  const isSaid = offeredTools !== undefined && takesVendorTools(candidate);
  const allowed = { mode: toolChoice, tools: tools.map(encodeName) };
  return {
    tools: (isSaid ? offeredTools : tools).map((tool) => encodeTool(tool, traits)),
    tool_choice: isSaid
      ? { type: 'allowed_tools', allowed_tools: allowed }
      : typeof toolChoice === 'object'
        ? encodeName(toolChoice)
        : toolChoice,
    parallel_tool_calls: traits.keepsOpenAiOnlyFields ? isParallelToolCalls : undefined,
  };
}

const encodeName = ({ name }: Readonly<{ name: string }>): JsonObject => ({ type: 'function', function: { name } });

function encodeTool(tool: Tool, traits: FamilyTraits): JsonObject {
  const { name, description, parameters, strict } = tool;
  return { type: 'function', function: { name, description, parameters, strict }, ...markerOf(tool, traits) };
}

function encodeResponseFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json-object') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}

function encodeSampling(conversation: Conversation, candidate: Candidate): JsonObject {
  const { sampling, outputTokensMax } = conversation;
  const { traits } = candidate.model;
  // OpenAI's thinking models know only the newer name, and few other upstreams know it.
  const limitName = traits.keepsOpenAiOnlyFields ? 'max_completion_tokens' : 'max_tokens';
  return {
    [limitNameAt(candidate) ?? limitName]: outputTokensMax,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    // OpenAI refuses this field, which most others accept.
    top_k: traits.keepsOpenAiOnlyFields ? undefined : sampling.topK,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    seed: sampling.seed,
    stop: sampling.stop,
  };
}

function encodeReasoning(
  reasoning: ReasoningSettings | undefined,
  request: ConversationRequest,
  candidate: Candidate,
): JsonObject {
  const { model } = candidate;
  // The same fact decides the price, so that the two cannot differ.
  if (model.traits.isThinkingOptIn) return { enable_thinking: request.isThinkingEnabled };
  if (reasoning === undefined || !mayReason(model)) return {};
  if (reasoning.isEnabled === false && isStoppable(candidate)) return { thinking: { type: 'disabled' } };
  const effort = knownEffortOf(reasoning, candidate);
  return effort === undefined ? {} : { reasoning_effort: effort };
}

/** Asked only of models that are known to support them. */
function encodeLogprobs({ logprobCount }: ConversationRequest, { supportedParameters, traits }: Model): JsonObject {
  const isKnown = supportedParameters?.some((name) => name === 'logprobs' || name === 'top_logprobs');
  const isAsked = logprobCount > 0 && (isKnown ?? traits.keepsOpenAiOnlyFields);
  return isAsked ? { logprobs: true, top_logprobs: logprobCount > 1 ? logprobCount - 1 : undefined } : {};
}

/** When the catalog does not say what a model takes, the caller's setting is sent. */
function mayReason({ supportedParameters }: Model): boolean {
  return (
    supportedParameters === null ||
    supportedParameters.includes('reasoning') ||
    supportedParameters.includes('reasoning_effort')
  );
}
