// A conversation may have begun with a model of another vendor. What that left in the history (thinking that we signed,
// pictures, texts without a letter) would be refused by an upstream of this dialect, so it is removed from what is sent.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { isSealed } from './sealed-reasoning.ts';

/** Returns the same body when there is nothing to drop. Only for a checked body. */
export function dropForeignBlocks(body: JsonObject): JsonObject {
  const messages = body.messages as readonly JsonObject[];
  if (!messages.some(holdsForeign)) return body;
  return { ...body, messages: messages.flatMap(clean) };
}

function holdsForeign({ role, content }: JsonObject): boolean {
  if (role !== 'assistant') return false;
  return Array.isArray(content) ? content.length === 0 || content.some(isForeign) : isBlank(content);
}

/** A message without any remaining content is left out. */
function clean(message: JsonObject): readonly JsonObject[] {
  if (!holdsForeign(message)) return [message];
  const content = Array.isArray(message.content) ? message.content.filter((block) => !isForeign(block)) : [];
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Some models put line breaks before a call; here a text of white space is refused. */
const isBlank = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

function isForeign(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  if (block.type === 'text') return isBlank(block.text);
  return block.type === 'image' || (block.type === 'thinking' && isSealed(block.signature));
}
