// Writes the messages of a conversation as turns that alternate between user and assistant. Tool results are part of
// the user's turn and come first in it: the API expects them directly after the calls they answer.

import type { AssistantPart, Message } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { fitCallIds } from '../../call-ids.ts';
import { CONTINUE } from '../../users-words.ts';
import {
  encodeCallId,
  encodeContentPart,
  encodeReasoning,
  encodeText,
  encodeToolCall,
  encodeToolResult,
  withCacheControl,
} from './encode-content.ts';

export type EncodedTurn = Readonly<{ role: 'user' | 'assistant'; content: readonly JsonObject[] }>;

type OpenTurn = { readonly role: 'user' | 'assistant'; readonly results: JsonObject[]; readonly blocks: JsonObject[] };

/** `wantsLastWord`: an answer is not continued, so the user has the last word. */
export function encodeTurns(
  said: readonly Message[],
  wantsLastWord = false,
): {
  system: readonly JsonObject[];
  turns: readonly EncodedTurn[];
} {
  const messages = fitCallIds(said, encodeCallId);
  const later = messages.findIndex((message) => message.role !== 'system');
  const leading = later === -1 ? messages : messages.slice(0, later);
  const system = leading.flatMap((message) => (message.role === 'system' ? message.parts.flatMap(encodeText) : []));
  const turns: OpenTurn[] = [];
  for (const message of messages.slice(leading.length)) addMessage(turns, message);
  // Other formats allow a prompt of instructions only; here the user must have said something.
  if (turns.length === 0 && system.length > 0) return { system: [], turns: [{ role: 'user', content: system }] };
  if (wantsLastWord && turns.at(-1)?.role === 'assistant') {
    turns.push({ role: 'user', results: [], blocks: [{ type: 'text', text: CONTINUE }] });
  }
  return { system, turns: closeTurns(turns) };
}

function addMessage(turns: OpenTurn[], message: Message): void {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const { results, blocks } = encodeMessage(message);
  if (results.length === 0 && blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) {
    last.results.push(...results);
    last.blocks.push(...blocks);
  } else {
    turns.push({ role, results, blocks });
  }
}

function encodeMessage(message: Message): { results: JsonObject[]; blocks: JsonObject[] } {
  switch (message.role) {
    case 'system':
      return { results: [], blocks: message.parts.flatMap(encodeLaterInstruction) };
    case 'user':
      return { results: [], blocks: message.parts.flatMap(encodeContentPart) };
    case 'assistant':
      return { results: [], blocks: message.parts.flatMap(encodeAssistantPart) };
    case 'tool':
      return { results: message.parts.map(encodeToolResult), blocks: [] };
  }
}

/**
 * Instructions between turns have no role of their own here, so they stay in place with a text that says what they are.
 */
function encodeLaterInstruction(part: Parameters<typeof encodeText>[0]): JsonObject[] {
  if (part.text.trim() === '') return [];
  return [withCacheControl({ type: 'text', text: `<system>\n${part.text}\n</system>` }, part.cacheControl)];
}

function encodeAssistantPart(part: AssistantPart): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part);
    case 'reasoning':
      return encodeReasoning(part);
    case 'tool-call':
      return [encodeToolCall(part)];
  }
}

function closeTurns(turns: readonly OpenTurn[]): EncodedTurn[] {
  const closed = turns.map(({ role, results, blocks }) => ({ role, content: [...results, ...blocks] }));
  const last = closed.at(-1);
  const final = last?.content.at(-1);
  // The API refuses to continue an answer that ends with white space.
  if (last?.role === 'assistant' && final?.type === 'text' && typeof final.text === 'string') {
    last.content.splice(-1, 1, { ...final, text: final.text.trimEnd() });
  }
  return closed;
}
