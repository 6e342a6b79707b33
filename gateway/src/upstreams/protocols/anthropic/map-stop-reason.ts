// The upstream's word for why it stopped, in ours. A word that we have never heard of is an ordinary end.

import type { FinishReason } from '../../../canonical/answer.ts';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // A long turn of the upstream's own tools was interrupted; the caller may send it back to have it continued.
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

export function mapStopReason(native: string): FinishReason {
  return reasons.get(native) ?? 'stop';
}
