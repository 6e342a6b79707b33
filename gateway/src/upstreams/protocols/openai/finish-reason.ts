// Why a model stopped, from the many words that copies of this protocol use for it.

import type { FinishReason } from '../../../canonical/answer.ts';

/** In lower case. A word that is not here means that the model simply came to an end. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
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

export function readFinishReason(word: string, hasToolCalls: boolean): FinishReason {
  const reason = REASONS.get(word.toLowerCase()) ?? 'stop';
  // Some upstreams say they just stopped when a forced tool call was all they had to do.
  return reason === 'stop' && hasToolCalls ? 'tool_calls' : reason;
}
