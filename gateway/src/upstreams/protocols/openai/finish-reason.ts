// Why a model stopped, where copies of this protocol do not tell a tool call from an end.

import type { FinishReason } from '../../../canonical/answer.ts';
import { finishReasonOf } from '../../../canonical/finish-reason.ts';

export function readFinishReason(word: string, hasToolCalls: boolean): FinishReason {
  const reason = finishReasonOf(word);
  // Some upstreams say they just stopped when a forced tool call was all they had to do.
  return reason === 'stop' && hasToolCalls ? 'tool_calls' : reason;
}
