// The upstream's word for why it stopped, in ours. A word that we have never heard of is an ordinary end.

import type { FinishReason } from '../../../canonical/answer.ts';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
  ['ERROR', 'error'],
  ['TIMEOUT', 'error'],
]);

export function mapFinishReason(native: string): FinishReason {
  return reasons.get(native) ?? 'stop';
}
