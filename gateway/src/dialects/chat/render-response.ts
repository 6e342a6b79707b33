// A whole answer as the caller sees it: the id, the model and the usage are ours, the provider's name is gone, and the
// choices have the members that clients rely on. Everything else is what the upstream sent, tool calls to the byte.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import { mapFinishReason } from './map-finish-reason.ts';
import { renderChatUsage } from './render-usage.ts';

export type ChatRendering = Readonly<{
  /** The generation's id, by which the caller can look the call up. */
  id: string;
  modelId: string;
  usage: Usage;
  costUsd: number;
  hidesReasoning: boolean;
  /** Used when the upstream did not say when it answered. */
  createdSeconds?: number;
}>;

const REASONING_MEMBERS = ['reasoning', 'reasoning_content', 'reasoning_details'];

export function renderChatResponse(json: JsonObject, rendering: ChatRendering): string {
  const choices = Array.isArray(json.choices) ? json.choices.filter(isJsonObject) : [];
  const response: JsonObject = {
    ...json,
    id: rendering.id,
    object: 'chat.completion',
    created: Number.isSafeInteger(json.created) ? json.created : (rendering.createdSeconds ?? 0),
    model: rendering.modelId,
    // A member that is undefined is left out of the text.
    provider: undefined,
    choices: choices.map((choice, position) => renderChoice(choice, position, rendering.hidesReasoning)),
    usage: renderChatUsage(rendering.usage, rendering.costUsd),
  };
  return JSON.stringify(response);
}

function renderChoice(choice: JsonObject, position: number, hidesReasoning: boolean): JsonObject {
  const message = renderMessage(choice.message, hidesReasoning);
  const rendered: JsonObject = {
    ...choice,
    index: Number.isSafeInteger(choice.index) ? choice.index : position,
    message,
  };
  // Some upstreams say they just stopped when a forced tool call was all they had to do.
  const hasToolCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  if (rendered.finish_reason === 'stop' && hasToolCalls) {
    rendered.native_finish_reason ??= 'stop';
    rendered.finish_reason = 'tool_calls';
  }
  if (isJsonObject(rendered.error)) rendered.error = renderChoiceError(rendered.error);
  mapFinishReason(rendered);
  return rendered;
}

/** The upstream's own words stay here; its status may pass, since clients decide by it whether to try again. */
function renderChoiceError(error: JsonObject): JsonObject {
  const { code } = error;
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599;
  return { code: isStatus ? code : 502, message: 'The upstream model failed while answering.' };
}

function renderMessage(message: unknown, hidesReasoning: boolean): JsonObject {
  const rendered: JsonObject = { role: 'assistant', content: null, ...(isJsonObject(message) ? message : {}) };
  rendered.role = 'assistant';
  if (rendered.content === undefined) rendered.content = null;
  if (hidesReasoning) {
    for (const member of REASONING_MEMBERS) rendered[member] = undefined;
  }
  return rendered;
}
