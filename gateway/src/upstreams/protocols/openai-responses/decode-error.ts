// A refusal means the same as in the `openai` protocol, except for the name of the one field with its own error code,
// and for reasoning that another account has sealed.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject } from '../../../canonical/json.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import { ERROR_BYTES_MAX } from '../../refusals.ts';
import { decodeError as decodeOpenAiError } from '../openai/decode-error.ts';

const FOREIGN_CODE = 'invalid_encrypted_content';
const FOREIGN_WORDS = /encrypted content\b.*could not be (?:verified|decrypted)/i;
const OUTPUT_LIMIT = 'max_output_tokens';

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const failure = decodeOpenAiError(status, headers, body);
  if (failure.kind !== 'rejected' || failure.code !== 'unknown_4xx') return failure;
  const json = readJsonObject(body.subarray(0, ERROR_BYTES_MAX));
  if (!isJsonObject(json?.error)) return failure;
  const { code, message, param } = json.error;
  if (code === FOREIGN_CODE || (typeof message === 'string' && FOREIGN_WORDS.test(message))) {
    return { ...failure, isReasoningForeign: true };
  }
  if (param !== OUTPUT_LIMIT) return failure;
  const publicMessage = `The provider does not accept the value of ${OUTPUT_LIMIT} for this model.`;
  return { ...failure, code: 'max_tokens_invalid', publicMessage };
}
