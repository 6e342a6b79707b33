// The HTTP status that an error inside an answer with status 200 stands for, by the codes of the chat and Responses
// formats: a stream has no other. Sentences are not read, because they may quote the caller.

import { isJsonObject } from './json.ts';

/** Codes by which vendors blame the request, and not themselves. */
const REQUEST_CODES: ReadonlySet<unknown> = new Set(
  `context_length_exceeded invalid_prompt content_filter content_policy_violation image_content_policy_violation
  invalid_image invalid_image_format invalid_image_mode invalid_image_url invalid_base64_image image_too_large
  image_too_small image_parse_error image_file_too_large image_file_not_found empty_image_file failed_to_download_image
  unsupported_image_media_type`.split(/\s+/),
);

/** Null where the error does not tell. */
export function statedStatus(error: unknown): number | null {
  if (!isJsonObject(error)) return null;
  const { code } = error;
  if (typeof code === 'number') return code >= 400 && code <= 599 ? code : null;
  if (code === 'rate_limit_exceeded') return 429;
  return REQUEST_CODES.has(code) ? 400 : null;
}
