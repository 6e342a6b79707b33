// How much text a delta has: content, thinking and the arguments of calls, without the JSON around them. Thinking that
// stands under two names in the same delta counts once.

import { isJsonObject, listOrEmpty } from '../../canonical/json.ts';

export function textBytes(delta: unknown): number {
  if (!isJsonObject(delta)) return 0;
  let bytes = contentBytes(delta.content) + bytesOf(delta.refusal) + callBytes(delta.function_call);
  bytes += Math.max(bytesOf(delta.reasoning), bytesOf(delta.reasoning_content), detailBytes(delta.reasoning_details));
  if (Array.isArray(delta.tool_calls)) {
    for (const call of delta.tool_calls) {
      if (isJsonObject(call)) bytes += callBytes(call.function) + callBytes(call.custom);
    }
  }
  return bytes;
}

/** Some vendors give texts and thinking as parts, and thinking as parts of its own. */
function contentBytes(content: unknown): number {
  if (!Array.isArray(content)) return bytesOf(content);
  let bytes = 0;
  for (const part of content) {
    if (!isJsonObject(part)) continue;
    bytes += bytesOf(part.text);
    for (const thought of listOrEmpty(part.thinking)) if (isJsonObject(thought)) bytes += bytesOf(thought.text);
  }
  return bytes;
}

const bytesOf = (text: unknown): number => (typeof text === 'string' ? Buffer.byteLength(text) : 0);

function callBytes(call: unknown): number {
  return isJsonObject(call) ? bytesOf(call.name) + bytesOf(call.arguments ?? call.input) : 0;
}

/** Sealed thinking is not text: its length says nothing about tokens. */
function detailBytes(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  let bytes = 0;
  for (const detail of details) if (isJsonObject(detail)) bytes += bytesOf(detail.text) + bytesOf(detail.summary);
  return bytes;
}
