// The form that an answer shall have, as an instruction: for vendors and models that have no field for it, or that
// refuse the field in this call.

import type { ResponseFormat } from '../canonical/conversation.ts';
import { stringifyExactJson } from '../platform/exact-json.ts';

const WISH = 'Answer with one valid JSON object and nothing else: no introduction and no code fence.';

/** Null where nothing has to be said. */
export function formatWords(format: ResponseFormat | undefined): string | null {
  if (format === undefined || format.type === 'text') return null;
  if (format.type === 'json-object') return WISH;
  return `${WISH} It must satisfy this JSON Schema:\n${stringifyExactJson(format.schema)}`;
}
