// Why a model stopped, in this dialect's words.

import type { FinishReason } from '../../canonical/answer.ts';

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
