// The dialect has five finish reasons. An upstream's own word for one of them is mapped, and kept as
// `native_finish_reason` so that nothing is lost; a known word is passed on unchanged.

import { finishReasonOf, finishWordOf } from '../../canonical/finish-reason.ts';
import type { JsonObject } from '../../canonical/json.ts';

export function mapFinishReason(choice: JsonObject): void {
  const word = finishWordOf(choice.finish_reason);
  if (word === null) {
    choice.finish_reason = null;
    return;
  }
  const reason = finishReasonOf(word);
  if (reason === word) return;
  choice.native_finish_reason ??= word;
  choice.finish_reason = reason;
}
