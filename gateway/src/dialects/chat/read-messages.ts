// The messages of a chat body in the vendor-neutral form. This dialect has an answer's thinking, text and calls in
// separate members, so their order is always that one.

import {
  type AssistantPart,
  type ImagePart,
  isResultContent,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
} from '../../canonical/conversation.ts';
import { customCall } from '../../canonical/custom-tools.ts';
import { isFilled, isJsonObject, type JsonObject, textOrEmpty } from '../../canonical/json.ts';
import { isText, readContent, readMarker } from './read-content.ts';
import { readReasoning } from './reasoning-details.ts';

export function readMessages(messages: unknown): Message[] {
  const read: Message[] = [];
  let results: ToolResultPart[] | null = null;
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isJsonObject(message)) continue;
    if (message.role !== 'tool') {
      results = null;
      addMessage(message, read);
      continue;
    }
    // Results of calls made together belong together.
    if (results === null) {
      results = [];
      read.push({ role: 'tool', parts: results });
    }
    results.push(readResult(message));
  }
  return read;
}

function addMessage(message: JsonObject, read: Message[]): void {
  const name = typeof message.name === 'string' ? { name: message.name } : {};
  switch (message.role) {
    case 'system':
    case 'developer':
      addInstructions(message, name, read);
      return;
    case 'assistant':
      read.push({ role: 'assistant', parts: readAnswer(message), ...readPictures(message), ...name });
      return;
    default:
      read.push({ role: 'user', parts: readContent(message), ...name });
  }
}

/** Instructions are text in every other format, so the images that this dialect allows in them follow as the user's. */
function addInstructions(message: JsonObject, name: Readonly<{ name?: string }>, read: Message[]): void {
  const parts = readContent(message);
  const texts = parts.filter(isText);
  if (texts.length > 0 || parts.length === 0) read.push({ role: 'system', parts: texts, ...name });
  if (texts.length < parts.length) read.push({ role: 'user', parts: parts.filter((part) => !isText(part)) });
}

function readAnswer(message: JsonObject): readonly AssistantPart[] {
  // No other dialect takes an assistant's sounds back, and empty text means that nothing was said.
  const texts = readContent(message).filter(isText);
  const spoken = texts.filter(({ text }) => text !== '');
  if (spoken.length === 0 && isFilled(message.refusal)) {
    spoken.push({ type: 'text', text: message.refusal });
  }
  return [...readReasoning(message), ...spoken, ...readCalls(message.tool_calls)];
}

/** As they were given, or within the content, where some clients put them. */
function readPictures(message: JsonObject): Readonly<{ pictures?: readonly ImagePart[] }> {
  const { content, images } = message;
  if (!Array.isArray(content) && !Array.isArray(images)) return {};
  const given = Array.isArray(images) ? readContent({ content: images }) : [];
  const pictures = [...given, ...readContent({ content })].filter((part) => part.type === 'image');
  return pictures.length === 0 ? {} : { pictures };
}

function readCalls(calls: unknown): ToolCallPart[] {
  const parts: ToolCallPart[] = [];
  for (const call of Array.isArray(calls) ? calls : []) {
    if (!isJsonObject(call)) continue;
    if (call.type === 'custom' && isJsonObject(call.custom)) {
      const { name, input } = call.custom;
      parts.push({ ...customCall(textOrEmpty(call.id), textOrEmpty(name), textOrEmpty(input)), ...readMarker(call) });
      continue;
    }
    if (!isJsonObject(call.function)) continue;
    const { name, arguments: argumentsText } = call.function;
    if (typeof call.id === 'string' && typeof name === 'string' && typeof argumentsText === 'string') {
      parts.push({ type: 'tool-call', id: call.id, name, argumentsText, ...readMarker(call) });
    }
  }
  return parts;
}

function readResult(message: JsonObject): ToolResultPart {
  const callId = textOrEmpty(message.tool_call_id);
  const result = { type: 'tool-result', callId, isError: message.is_error === true } as const;
  // Here the marker belongs to the result and not to its last text, because other vendors mark results.
  const { cache_control: _marker, ...unmarked } = message;
  return { ...result, content: readContent(unmarked).filter(isResultContent), ...readMarker(message) };
}
