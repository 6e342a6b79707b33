// Items of a provider of this dialect's format, with the members that clients rely on: the annotations of a text, and
// the id, the status and the written arguments of a call. An item that has them is returned as it is.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { NO_ARGUMENTS } from './output-items.ts';
import { itemIdOf } from './response-id.ts';

/** The same list where nothing in it has to change. */
export function completeItems(output: readonly unknown[], generationId: string): readonly unknown[] {
  const completed = output.map((item, index) => completeItem(item, generationId, index));
  return completed.every((item, index) => item === output[index]) ? output : completed;
}

export function completeItem(item: unknown, generationId: string, index: number): unknown {
  if (!isJsonObject(item)) return item;
  if (item.type === 'function_call') return completeCall(item, itemIdOf('fc', generationId, index));
  const { type, content } = item;
  if (type !== 'message' || !Array.isArray(content) || !content.some(lacksAnnotations)) return item;
  return { ...item, content: content.map((part) => (lacksAnnotations(part) ? { ...part, annotations: [] } : part)) };
}

const lacksAnnotations = (part: unknown): part is JsonObject =>
  isJsonObject(part) && part.type === 'output_text' && !Array.isArray(part.annotations);

function completeCall(call: JsonObject, id: string): JsonObject {
  if (isFilled(call.id) && isFilled(call.status) && isFilled(call.arguments)) return call;
  return {
    ...call,
    id: isFilled(call.id) ? call.id : id,
    status: isFilled(call.status) ? call.status : 'completed',
    arguments: writtenOf(call.arguments),
  };
}

/** Some providers parse them. */
function writtenOf(value: unknown): string {
  if (isFilled(value)) return value;
  return isJsonObject(value) ? stringifyExactJson(value) : NO_ARGUMENTS;
}
