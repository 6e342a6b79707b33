// A whole answer as the caller sees it: the id, the model and the usage are ours, the provider's name is gone, and the
// choices have the members that clients rely on. Everything else is what the upstream sent, tool calls to the byte. The
// answer is edited in place: it was decoded for this call alone, and copying it costs as much as writing it out.

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
  for (const [position, choice] of choices.entries()) editChoice(choice, position, rendering.hidesReasoning);
  json.id = rendering.id;
  json.object = 'chat.completion';
  if (!Number.isSafeInteger(json.created)) json.created = rendering.createdSeconds ?? 0;
  json.model = rendering.modelId;
  // A member that is undefined is left out of the text.
  if (json.provider !== undefined) json.provider = undefined;
  json.choices = choices;
  json.usage = renderChatUsage(rendering.usage, rendering.costUsd);
  return JSON.stringify(json);
}

function editChoice(choice: JsonObject, position: number, hidesReasoning: boolean): void {
  if (!Number.isSafeInteger(choice.index)) choice.index = position;
  const message = editMessage(choice.message, hidesReasoning);
  choice.message = message;
  // Some upstreams say they just stopped when a forced tool call was all they had to do.
  const hasToolCalls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0;
  if (choice.finish_reason === 'stop' && hasToolCalls) {
    choice.native_finish_reason ??= 'stop';
    choice.finish_reason = 'tool_calls';
  }
  if (isJsonObject(choice.error)) choice.error = renderChoiceError(choice.error);
  mapFinishReason(choice);
}

/** The upstream's own words stay here; its status may pass, since clients decide by it whether to try again. */
function renderChoiceError(error: JsonObject): JsonObject {
  const { code } = error;
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599;
  return { code: isStatus ? code : 502, message: 'The upstream model failed while answering.' };
}

function editMessage(message: unknown, hidesReasoning: boolean): JsonObject {
  const edited = isJsonObject(message) ? message : {};
  edited.role = 'assistant';
  edited.content ??= null;
  if (hidesReasoning) {
    for (const member of REASONING_MEMBERS) edited[member] = undefined;
  }
  return edited;
}
