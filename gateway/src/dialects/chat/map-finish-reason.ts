// The dialect knows five reasons to finish. An upstream's own word for one of them is mapped, and kept as
// `native_finish_reason` so that nothing is lost; a known word passes untouched.

import type { JsonObject } from '../../canonical/json.ts';

const KNOWN = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'error']);

/** In lower case. A word that is in neither list means that the model simply came to an end. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['tool_calls', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['refusal', 'content_filter'],
  ['error', 'error'],
]);

export function mapFinishReason(choice: JsonObject): void {
  const reason = choice.finish_reason;
  if (typeof reason !== 'string' || reason === '') {
    choice.finish_reason = null;
    return;
  }
  if (KNOWN.has(reason)) return;
  choice.native_finish_reason ??= reason;
  choice.finish_reason = OTHERS.get(reason.toLowerCase()) ?? 'stop';
}
