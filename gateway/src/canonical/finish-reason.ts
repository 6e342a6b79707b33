// Why a model stopped, from the many words that vendors use for it: one table for whoever meets a foreign word.

import type { FinishReason } from './answer.ts';

/** In lower case. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
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
  ['error', 'error'],
  ['network_error', 'error'],
  ['insufficient_system_resource', 'error'],
  ['malformed_function_call', 'error'],
]);

const UNSPOKEN: ReadonlySet<string> = new Set(['', 'null', 'none']);

/** Null while it goes on, which some say in a word too. */
export function finishWordOf(value: unknown): string | null {
  return typeof value === 'string' && !UNSPOKEN.has(value.toLowerCase()) ? value : null;
}

/** A word that nobody knows means that the model simply came to an end. */
export function finishReasonOf(word: string): FinishReason {
  return REASONS.get(word.toLowerCase()) ?? 'stop';
}
