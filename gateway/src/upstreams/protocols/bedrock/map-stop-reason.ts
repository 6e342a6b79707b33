// The upstream's word for why it stopped, in ours. A word that we have never heard of is an ordinary end.

import type { FinishReason } from '../../../canonical/answer.ts';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['malformed_model_output', 'error'],
  ['malformed_tool_use', 'error'],
]);

export function mapStopReason(native: string): FinishReason {
  return reasons.get(native) ?? 'stop';
}
