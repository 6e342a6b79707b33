// Models of other vendors that think unless they are told not to. They get their own thinking back with the
// conversation: most upstreams of this protocol ignore it, and some refuse the member, but these models lose their
// thread without it, and their vendors refuse a call in which a message of the model lacks it.

import { isJsonObject, type JsonObject, textOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';

/** `always` also where a message has no thinking: the vendor wants the member, and takes an empty one. */
export type ThinkingBack = 'never' | 'known' | 'always';

const NAMES = /deepseek(?!.*distill)|kimi/i;
/** They think in any case. */
const UNSTOPPABLE = /thinking|reasoner/i;
const VENDOR_HOSTS: ReadonlySet<string> = new Set(['api.deepseek.com', 'api.moonshot.ai', 'api.moonshot.cn']);

type Place = Pick<Candidate, 'upstreamModel' | 'provider'>;

/** Whether the vendor itself is asked, and knows a word for no thinking. */
export const isStoppable = (place: Place): boolean =>
  thinkingBackOf(place) === 'always' && !UNSTOPPABLE.test(place.upstreamModel);

export function thinkingBackOf({ upstreamModel, provider }: Place): ThinkingBack {
  if (!NAMES.test(upstreamModel)) return 'never';
  return VENDOR_HOSTS.has(new URL(provider.baseUrl).hostname) ? 'always' : 'known';
}

/** For messages that came in this format; the same list where no message of the model lacks the member. */
export function withThinking(messages: unknown, place: Place): unknown {
  if (!Array.isArray(messages) || thinkingBackOf(place) !== 'always' || !messages.some(lacksThinking)) return messages;
  return messages.map((message) =>
    lacksThinking(message) ? { ...message, reasoning_content: textOrEmpty(message.reasoning) } : message,
  );
}

const lacksThinking = (message: unknown): message is JsonObject =>
  isJsonObject(message) && message.role === 'assistant' && typeof message.reasoning_content !== 'string';
