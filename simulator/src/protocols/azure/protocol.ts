// What differs at an Azure resource from the API that it serves: a prompt that its filter refused, and the filter's
// results.

import { jsonAnswer } from '../../answer.ts';
import type { JsonObject } from '../../json.ts';
import type { Protocol } from '../../operation.ts';
import { openaiProtocol } from '../openai/protocol.ts';

const CATEGORIES = ['hate', 'self_harm', 'sexual', 'violence'] as const;

/** The filter's result for each category. Only the last category is ever found here. */
export function filterResults(isFiltered: boolean): JsonObject {
  const safe = { filtered: false, severity: 'safe' };
  const results = Object.fromEntries(CATEGORIES.map((category) => [category, safe]));
  return isFiltered ? { ...results, violence: { filtered: true, severity: 'medium' } } : results;
}

const POLICY_MESSAGE =
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your " +
  'prompt and retry.';

export const azureProtocol: Protocol = {
  ...openaiProtocol,
  requestIdHeader: 'apim-request-id',
  refusal(kind) {
    if (kind !== 'policy') return openaiProtocol.refusal(kind);
    const innererror = { code: 'ResponsibleAIPolicyViolation', content_filter_result: filterResults(true) };
    const error = { message: POLICY_MESSAGE, type: null, param: 'prompt', code: 'content_filter', status: 400 };
    return jsonAnswer(400, { error: { ...error, innererror } });
  },
};
