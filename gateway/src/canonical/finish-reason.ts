// Why a model stopped, from the many words of vendors: one table for all code that meets a vendor's word.

import type { FinishReason } from './answer.ts';
import { isJsonObject } from './json.ts';

/** In lower case. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['complete', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // A long turn of the upstream's own tools was interrupted; the caller may send it back to have it continued.
  ['pause_turn', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['token_limit', 'length'],
  ['max_length', 'length'],
  ['max_new_tokens', 'length'],
  ['max_output', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filter', 'content_filter'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['refusal', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['content_policy', 'content_filter'],
  ['spii', 'content_filter'],
  ['language', 'content_filter'],
  ['model_armor', 'content_filter'],
  ['image_safety', 'content_filter'],
  ['image_prohibited_content', 'content_filter'],
  ['image_recitation', 'content_filter'],
  ['error_toxic', 'content_filter'],
  ['error', 'error'],
  ['network_error', 'error'],
  ['insufficient_system_resource', 'error'],
  ['timeout', 'error'],
  ['malformed_function_call', 'error'],
  ['malformed_response', 'error'],
  ['malformed_model_output', 'error'],
  ['malformed_tool_use', 'error'],
  ['unexpected_tool_call', 'error'],
  ['too_many_tool_calls', 'error'],
  ['missing_thought_signature', 'error'],
]);

/** Of the errors, those that are the model's own doing, or that come of a long task: a caller can bring them about. */
const PROVOKED: ReadonlySet<string> = new Set([
  'timeout',
  'malformed_function_call',
  'malformed_response',
  'malformed_model_output',
  'malformed_tool_use',
  'unexpected_tool_call',
  'too_many_tool_calls',
  'missing_thought_signature',
]);

/** Whether an answer that ended with this error says nothing against its provider; some have two words for it. */
export const isProvokedEnd = (...words: readonly unknown[]): boolean =>
  words.some((word) => typeof word === 'string' && PROVOKED.has(word.toLowerCase()));

const UNSPOKEN: ReadonlySet<string> = new Set(['', 'null', 'none']);

/** Null while the answer goes on, for which some vendors have a word too. */
export function finishWordOf(value: unknown): string | null {
  return typeof value === 'string' && !UNSPOKEN.has(value.toLowerCase()) ? value : null;
}

/**
 * A word that nobody knows stands for an ordinary end. An ordinary end with `hasToolCalls` is for those tools: some
 * upstreams have no word for that, and some say that they just stopped when a forced call was all they had to do.
 */
export function finishReasonOf(word: string, hasToolCalls = false): FinishReason {
  const reason = REASONS.get(word.toLowerCase()) ?? 'stop';
  return reason === 'stop' && hasToolCalls ? 'tool_calls' : reason;
}

/** Whether an answer has ended, and not with an error: what stands beside such an end does not take it back. */
export function endsWell(value: unknown): boolean {
  const word = finishWordOf(value);
  return word !== null && finishReasonOf(word) !== 'error';
}

const CALL_ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

/** Whether an item of a response wants a tool of the caller's; that format has no word for it. */
export function isToolCall(item: unknown): boolean {
  return isJsonObject(item) && CALL_ITEMS.has(item.type);
}
