// The usage record of this format has other names for the counts of the `openai` protocol; the same rules apply.

import { isJsonObject } from '../../../canonical/json.ts';
import type { Usage } from '../../../canonical/usage.ts';
import { readUsage as readChatUsage } from '../openai/convert-usage.ts';

/** Null when there is no record, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  return readChatUsage({
    prompt_tokens: value.input_tokens,
    prompt_tokens_details: value.input_tokens_details,
    completion_tokens: value.output_tokens,
    completion_tokens_details: value.output_tokens_details,
    total_tokens: value.total_tokens,
    cost: value.cost,
  });
}
