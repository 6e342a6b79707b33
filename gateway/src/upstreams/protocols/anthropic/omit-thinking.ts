// A conversation without the model's thinking, for a call that was refused because of it. Newer models accept thinking
// only after exactly the words that it followed, which a client may have changed meanwhile, and which other formats
// cannot always give back in their order. Without it the model thinks again.

import { withoutClearing } from '../../../canonical/clear-thinking.ts';
import type { Conversation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

/** How a refusal of thinking begins, after the place of the block. */
const REFUSED_THINKING =
  /\binvalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`? block|`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/i;

export const refusesThinking = (message: string): boolean => REFUSED_THINKING.test(message);

export function withoutThinking(conversation: Conversation): Conversation {
  const messages = conversation.messages.map((message) =>
    message.role === 'assistant'
      ? { ...message, parts: message.parts.filter(({ type }) => type !== 'reasoning') }
      : message,
  );
  return { ...conversation, messages };
}

/** For a body of this format. A message of which nothing remains is left out. */
export function withoutThinkingBlocks(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const rest = messages.flatMap(withoutThoughts);
  const lastAnswer = rest.findLastIndex((message) => isJsonObject(message) && message.role === 'assistant');
  // With a budget, a call that is being answered must follow its thinking.
  const isBudgeted = isJsonObject(body.thinking) && body.thinking.type === 'enabled';
  return isBudgeted && rest.slice(lastAnswer + 1).some(answersCall)
    ? { ...withoutClearing(body), messages: rest, thinking: undefined }
    : { ...body, messages: rest };
}

const answersCall = (message: unknown): boolean =>
  isJsonObject(message) &&
  Array.isArray(message.content) &&
  message.content.some((block) => isJsonObject(block) && block.type === 'tool_result');

function withoutThoughts(message: unknown): readonly unknown[] {
  if (!isJsonObject(message) || !Array.isArray(message.content)) return [message];
  const content = message.content.filter((block) => !isThought(block));
  if (content.length === message.content.length) return [message];
  return content.length === 0 ? [] : [{ ...message, content }];
}

const isThought = (block: unknown): boolean =>
  isJsonObject(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
