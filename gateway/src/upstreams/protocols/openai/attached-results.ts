// Pictures and files that tools returned, in a chat body. OpenAI and most copies of this format take only text in a
// result, so they follow as the user's, after all results of the same turn, which must come directly after their calls.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

/** What a result says whose whole content has moved. */
export const MOVED_RESULT_TEXT = 'The result is attached to the next message.';

type Illustrated = JsonObject & Readonly<{ content: readonly unknown[] }>;

/** The same list where all results are text. */
export function withMediaAttached(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(isIllustrated)) return messages;
  const sent: unknown[] = [];
  let media: unknown[] = [];
  const attach = (): void => {
    if (media.length > 0) sent.push({ role: 'user', content: media });
    media = [];
  };
  for (const message of messages) {
    if (!isResult(message)) attach();
    if (!isIllustrated(message)) {
      sent.push(message);
      continue;
    }
    const texts = message.content.filter((part) => !isMedia(part));
    media.push(...message.content.filter(isMedia));
    sent.push({ ...message, content: texts.length === 0 ? MOVED_RESULT_TEXT : texts });
  }
  attach();
  return sent;
}

const isResult = (message: unknown): message is JsonObject => isJsonObject(message) && message.role === 'tool';

const isIllustrated = (message: unknown): message is Illustrated =>
  isResult(message) && Array.isArray(message.content) && message.content.some(isMedia);

const isMedia = (part: unknown): boolean => isJsonObject(part) && part.type !== 'text';
