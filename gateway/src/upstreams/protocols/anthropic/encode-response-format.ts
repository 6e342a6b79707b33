// The form the answer shall have. A schema is the API's own feature; for plain JSON it has none, so the caller's wish is
// put into words, after all other instructions, where it disturbs no cached prefix.

import type { ResponseFormat } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { adaptSchema } from './adapt-schema.ts';

type EncodedFormat = Readonly<{ instructions: readonly JsonObject[]; fields: JsonObject }>;

const JSON_INSTRUCTION = 'Answer with one valid JSON object and nothing else: no introduction and no code fence.';

export function encodeResponseFormat(format: ResponseFormat | undefined): EncodedFormat {
  if (format === undefined || format.type === 'text') return { instructions: [], fields: {} };
  if (format.type === 'json-object') {
    return { instructions: [{ type: 'text', text: JSON_INSTRUCTION }], fields: {} };
  }
  const schema = adaptSchema(format.schema);
  return { instructions: [], fields: { output_config: { format: { type: 'json_schema', schema } } } };
}
