// Why a model stopped, from a response's status, its details and what is in its output.

import type { FinishReason } from '../../../canonical/answer.ts';
import { isToolCall } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

/** Null when the response has not ended. A missing status counts as completed, because not every upstream sends one. */
export function readFinishReason(response: JsonObject): FinishReason | null {
  switch (response.status) {
    case 'completed':
    case undefined:
      return Array.isArray(response.output) && response.output.some(isToolCall) ? 'tool_calls' : 'stop';
    case 'incomplete': {
      const details = response.incomplete_details;
      return isJsonObject(details) && details.reason === 'content_filter' ? 'content_filter' : 'length';
    }
    case 'failed':
      return 'error';
    default:
      return null;
  }
}
