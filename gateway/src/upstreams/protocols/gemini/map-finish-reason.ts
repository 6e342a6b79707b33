// The upstream's word for why it stopped, in ours. Some servers write the number of the word instead. A word that we have
// never heard of is an ordinary end.

import type { FinishReason } from '../../../canonical/answer.ts';

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['MALFORMED_RESPONSE', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['TOO_MANY_TOOL_CALLS', 'error'],
  ['MISSING_THOUGHT_SIGNATURE', 'error'],
]);

const NUMBERED = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'];

/** Null when the model has not stopped. */
export function readNativeReason(value: unknown): string | null {
  const word = typeof value === 'number' ? NUMBERED[value] : value;
  return typeof word === 'string' && word !== '' && word !== NUMBERED[0] ? word : null;
}

/** There is no word for a call of a tool: that is an ordinary end too. */
export function mapFinishReason(native: string, hasCalls: boolean): FinishReason {
  const reason = reasons.get(native) ?? 'stop';
  return reason === 'stop' && hasCalls ? 'tool_calls' : reason;
}
