// Models of other vendors that think unless they are told not to. They get their own thinking back with the
// conversation: most upstreams of this protocol ignore it, and some refuse the member, but these models lose their
// thread without it, and their vendors refuse a call in which a message of the model lacks it.

import { isJsonObject, type JsonObject, textOrEmpty } from '../../../canonical/json.ts';
import { type Destination, vendorAt } from './vendors.ts';

/** `always` also where a message has no thinking: the vendor wants the member, and takes an empty one. */
export type ThinkingBack = 'never' | 'known' | 'always';

const NAMES = /deepseek(?!.*distill)|kimi/i;
/** They think in any case. */
const UNSTOPPABLE = /thinking|reasoner/i;

/** Whether the vendor itself is asked, and knows a word for no thinking. */
export const isStoppable = (destination: Destination): boolean =>
  thinkingBackOf(destination) === 'always' && !UNSTOPPABLE.test(destination.upstreamModel);

export function thinkingBackOf(destination: Destination): ThinkingBack {
  if (!NAMES.test(destination.upstreamModel)) return 'never';
  return vendorAt(destination)?.wantsThinking === true ? 'always' : 'known';
}

/** For messages that came in this format; the same list where no message of the model lacks the member. */
export function withThinking(messages: unknown, destination: Destination): unknown {
  if (!Array.isArray(messages) || thinkingBackOf(destination) !== 'always' || !messages.some(lacksThinking))
    return messages;
  return messages.map((message) =>
    lacksThinking(message) ? { ...message, reasoning_content: textOrEmpty(message.reasoning) } : message,
  );
}

const lacksThinking = (message: unknown): message is JsonObject =>
  isJsonObject(message) && message.role === 'assistant' && typeof message.reasoning_content !== 'string';
