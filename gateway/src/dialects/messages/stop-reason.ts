// Why a model stopped, in this dialect's words and in the vendor-neutral ones.

import type { FinishReason } from '../../canonical/answer.ts';

const toNeutral: ReadonlyMap<string, FinishReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

type StopFacts = Readonly<{ reason: FinishReason; stopSequence: string | null; hasToolCalls: boolean }>;

export function stopReasonOf(facts: StopFacts): string {
  switch (facts.reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      // Some upstreams say they just stopped when a forced tool call was all they had to do.
      if (facts.hasToolCalls) return 'tool_use';
      return facts.stopSequence === null ? 'end_turn' : 'stop_sequence';
  }
}

/** A word that is not in the list means that the model simply came to an end. */
export function finishReasonOf(stopReason: string): FinishReason {
  return toNeutral.get(stopReason) ?? 'stop';
}
