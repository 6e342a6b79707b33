// Where the provider has summarized a conversation, the summary stands for everything before it: the provider ignores
// what comes before, whether or not a client still sends it. So does the gateway, because what is not sent is not held
// money for, does not fill the context, and is not shown to a model of another vendor beside its summary.

import { isFilled, isJsonObject, type JsonObject, listOrEmpty } from '../../canonical/json.ts';

/** Returns the same body when nothing has been summarized. For a body that is not checked yet. */
export function dropCompacted(body: JsonObject): JsonObject {
  const messages = listOrEmpty(body.messages);
  const last = messages.findLastIndex((message) => placeOfSummary(message) !== -1);
  const message = messages[last];
  if (!isJsonObject(message)) return body;
  const place = placeOfSummary(message);
  if (last === 0 && place === 0) return body;
  const rest = { ...message, content: listOrEmpty(message.content).slice(place) };
  return { ...body, messages: [rest, ...messages.slice(last + 1)] };
}

function placeOfSummary(message: unknown): number {
  if (!isJsonObject(message) || message.role !== 'assistant') return -1;
  return listOrEmpty(message.content).findLastIndex((block) => isJsonObject(block) && summaryIn(block) !== null);
}

/** Null for every other block, and for a summary that failed, which counts as none. */
export const summaryIn = ({ type, content }: JsonObject): string | null =>
  type === 'compaction' && isFilled(content) ? content : null;
