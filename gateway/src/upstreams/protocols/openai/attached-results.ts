// Pictures and files that tools returned, in a chat body. OpenAI and most copies of this format take only text in a
// result, so they follow as the user's, after all results of the same turn, which must come directly after their calls.
// Where the user goes on there, it is one message: some models take no two of one side.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

/** What a result says whose whole content has moved. */
export const MOVED_RESULT_TEXT = 'The result is attached to the next message.';

type Illustrated = JsonObject & Readonly<{ content: readonly unknown[] }>;

/** The same list where all results are text. */
export function withMediaAttached(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(isIllustrated)) return messages;
  const sent: unknown[] = [];
  let media: unknown[] = [];
  for (const message of messages) {
    if (isIllustrated(message)) {
      const texts = message.content.filter((part) => !isMedia(part));
      for (const part of message.content) if (isMedia(part)) media.push(part);
      sent.push({ ...message, content: texts.length === 0 ? MOVED_RESULT_TEXT : texts });
    } else if (media.length === 0 || isResult(message)) sent.push(message);
    else {
      sent.push(...attached(media, message));
      media = [];
    }
  }
  return media.length === 0 ? sent : [...sent, ...attached(media)];
}

function attached(media: readonly unknown[], next?: unknown): unknown[] {
  if (!isJsonObject(next) || next.role !== 'user') {
    return [{ role: 'user', content: media }, ...(next === undefined ? [] : [next])];
  }
  const { content } = next;
  return [{ ...next, content: [...media, ...(Array.isArray(content) ? content : [{ type: 'text', text: content }])] }];
}

const isResult = (message: unknown): message is JsonObject => isJsonObject(message) && message.role === 'tool';

const isIllustrated = (message: unknown): message is Illustrated =>
  isResult(message) && Array.isArray(message.content) && message.content.some(isMedia);

const isMedia = (part: unknown): boolean => isJsonObject(part) && part.type !== 'text';
