// Writes a call to the chat of version 2. No client speaks this format, although it resembles chat completions, so
// every body is written from the conversation; settings that only this API knows are taken from the caller's body.

import type {
  AssistantPart,
  ContentPart,
  Conversation,
  Message,
  ReasoningSettings,
  ResponseFormat,
  ToolResultPart,
} from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { fitCallIds } from '../../call-ids.ts';
import { asFailed } from '../../failed-result.ts';
import { formatWords } from '../../format-words.ts';
import type { TextCall } from '../../protocol.ts';
import { refuseNothing } from '../../refuse-nothing.ts';
import { encodeSource } from '../openai/encode-messages.ts';

const VERSIONED = /\/v2$/;
const STOP_SEQUENCES_MAX = 5;
/** Beyond these a share of probability is refused. */
const TOP_P_MIN = 0.01;
const TOP_P_MAX = 0.99;

/** An address that names the version itself is used as it is. */
export function pathAt({ provider }: Candidate, path: string): string {
  return VERSIONED.test(provider.baseUrl) ? path : `/v2${path}`;
}

export function encodeRequest(request: ConversationRequest, candidate: Candidate): TextCall {
  const conversation = request.toConversation();
  const { sampling, tools } = conversation;
  const { topP } = sampling;
  const own = ownWishes(request.body);
  // Beside tools and documents no form of the answer is taken, so it is said in words.
  const isFormatTaken = tools.length === 0 && own.documents === undefined;
  const words = isFormatTaken ? null : formatWords(conversation.responseFormat);
  const stop = sampling.stop?.filter((sequence) => sequence !== '').slice(0, STOP_SEQUENCES_MAX) ?? [];
  const body = {
    model: candidate.upstreamModel,
    messages: [
      ...(words === null ? [] : [{ role: 'system', content: words }]),
      ...refuseNothing(fitCallIds(conversation.messages, (id) => id).flatMap(encodeMessage)),
    ],
    ...encodeTools(conversation),
    response_format: isFormatTaken ? encodeFormat(conversation.responseFormat) : undefined,
    thinking: encodeThinking(conversation.reasoning, candidate),
    max_tokens: conversation.outputTokensMax,
    // The vendor's scale ends at 1.
    temperature: sampling.temperature === undefined ? undefined : Math.min(sampling.temperature, 1),
    p: topP === undefined ? undefined : Math.min(Math.max(topP, TOP_P_MIN), TOP_P_MAX),
    k: sampling.topK,
    ...encodePenalty(sampling),
    seed: sampling.seed,
    stop_sequences: stop.length === 0 ? undefined : stop,
    stream: request.isStream,
    ...own,
  };
  return { path: pathAt(candidate, '/chat'), body: stringifyExactJson(body) };
}

/** One of the two is taken, and it goes from 0 to 1. */
function encodePenalty({ frequencyPenalty = 0, presencePenalty = 0 }: Conversation['sampling']): JsonObject {
  if (frequencyPenalty > 0) return { frequency_penalty: Math.min(frequencyPenalty, 1) };
  return presencePenalty > 0 ? { presence_penalty: Math.min(presencePenalty, 1) } : {};
}

/** Documents to answer from, how to cite them, and the safety mode. */
function ownWishes({ documents, citation_options: citations, safety_mode: safety }: JsonObject): JsonObject {
  return {
    ...(Array.isArray(documents) && documents.length > 0 ? { documents: documents.flatMap(encodeDocument) } : {}),
    ...(isJsonObject(citations) ? { citation_options: citations } : {}),
    ...(typeof safety === 'string' ? { safety_mode: safety } : {}),
  };
}

/** The previous version had the document's members beside its id, and callers still write them so. */
function encodeDocument(document: unknown): readonly (string | JsonObject)[] {
  if (typeof document === 'string') return [document];
  if (!isJsonObject(document)) return [];
  if (document.data !== undefined) return [document];
  const { id, ...data } = document;
  return [{ ...(typeof id === 'string' ? { id } : {}), data }];
}

function encodeTools({ tools, toolChoice }: Conversation): JsonObject {
  if (tools.length === 0) return {};
  // Choosing one tool is done by offering only that tool.
  const named = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const choice = toolChoice === 'required' || typeof toolChoice === 'object' ? 'REQUIRED' : undefined;
  return {
    tools: named.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    tool_choice: toolChoice === 'none' ? 'NONE' : choice,
  };
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json-object') return { type: 'json_object' };
  return { type: 'json_object', json_schema: format.schema };
}

function encodeThinking(reasoning: ReasoningSettings | undefined, { model }: Candidate): JsonObject | undefined {
  const mayReason = model.supportedParameters === null || model.supportedParameters.includes('reasoning');
  if (reasoning === undefined || !mayReason) return undefined;
  if (reasoning.isEnabled === false) return { type: 'disabled' };
  return { type: 'enabled', token_budget: reasoning.tokensMax };
}

function encodeMessage(message: Message): readonly JsonObject[] {
  switch (message.role) {
    case 'system': {
      const content = message.parts.map(({ text }) => text).join('\n\n');
      return content.trim() === '' ? [] : [{ role: 'system', content }];
    }
    case 'user': {
      const content = message.parts.flatMap(encodePart);
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant':
      return encodeAnswer(message.parts);
    case 'tool':
      return [...message.parts.map(encodeResult), ...encodeReturnedMedia(message.parts)];
  }
}

function encodeAnswer(parts: readonly AssistantPart[]): readonly JsonObject[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.argumentsText || '{}' } }]
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  if (calls.length > 0) {
    // Text beside calls is their plan, and a plan was shown as thinking when it came.
    const thought = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
    const plan = text === '' ? thought : text;
    return [{ role: 'assistant', tool_calls: calls, ...(plan === '' ? {} : { tool_plan: plan }) }];
  }
  return [{ role: 'assistant', content: text }];
}

function encodeResult({ callId, content, isError }: ToolResultPart): JsonObject {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  return { role: 'tool', tool_call_id: callId, content: isError ? asFailed(text) : text };
}

/** A result can only be text here, so what else tools have returned follows as the user's. */
function encodeReturnedMedia(results: readonly ToolResultPart[]): readonly JsonObject[] {
  const media = results.flatMap(({ content }) => content.filter(({ type }) => type !== 'text'));
  return media.length === 0 ? [] : [{ role: 'user', content: media.flatMap(encodePart) }];
}

function encodePart(part: ContentPart): readonly JsonObject[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: encodeSource(part.source) } }];
    default:
      throw new ApiError('invalid_modality_for_model', `The provider of this model does not take ${part.type}.`);
  }
}
