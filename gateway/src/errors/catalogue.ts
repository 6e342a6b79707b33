// Every error of the gateway in one table: the stable code, its HTTP status and its type. Codes that are only a status
// (`http_401`) are sent as the integer, because the specification promises a string only where there is a specific
// remedy.

type CatalogueRow = Readonly<{ status: number; type: string }>;

const row = (status: number, type: string): CatalogueRow => ({ status, type });

const INVALID = 'invalid_request_error';
const UPSTREAM = 'upstream_error';
const BILLING = 'billing_error';

export const catalogue = {
  // Model and endpoint
  unknown_model: row(400, INVALID),
  invalid_model_id: row(400, INVALID),
  model_not_found: row(404, 'not_found_error'),
  model_retired: row(410, 'model_not_available'),
  model_endpoint_mismatch: row(400, INVALID),
  embedding_on_chat_endpoint: row(400, INVALID),
  model_not_priced: row(400, INVALID),
  invalid_modality_for_model: row(400, INVALID),
  wrong_endpoint_for_video: row(400, INVALID),
  model_not_allowed: row(403, 'permission_error'),

  // Request and safety
  missing_required_field: row(400, INVALID),
  unsupported_param: row(400, INVALID),
  max_tokens_invalid: row(400, INVALID),
  context_too_long: row(400, INVALID),
  tool_use_unsupported: row(400, INVALID),
  malformed_tool_messages: row(400, INVALID),
  invalid_response_format_schema: row(400, INVALID),
  invalid_tools_definition: row(400, INVALID),
  invalid_prompt: row(400, INVALID),
  content_moderation: row(403, INVALID),
  content_filter: row(403, INVALID),
  unknown_4xx: row(400, INVALID),

  // Image
  invalid_image_url: row(400, INVALID),
  input_images_not_supported: row(400, INVALID),
  invalid_content_type: row(400, INVALID),
  mask_not_supported: row(400, INVALID),
  unsupported_response_format: row(400, INVALID),
  missing_prompt: row(400, INVALID),
  missing_image: row(400, INVALID),
  too_many_images: row(400, INVALID),
  invalid_image_type: row(400, INVALID),
  image_too_large: row(400, INVALID),
  invalid_n: row(400, INVALID),
  pipeline_error: row(502, UPSTREAM),
  no_images: row(502, UPSTREAM),

  // Upstream. `upstream_unavailable` is 502 when a provider was tried and failed; 503 (overridden where it is thrown)
  // when none could be tried.
  upstream_unreachable: row(502, UPSTREAM),
  upstream_auth_failed: row(502, UPSTREAM),
  upstream_rate_limited: row(429, 'rate_limit_error'),
  upstream_unavailable: row(502, UPSTREAM),

  // Billing
  budget_cap_reached: row(402, BILLING),
  credit_limit_exceeded: row(402, BILLING),
  insufficient_credits: row(402, BILLING),
  spend_limit_exceeded: row(402, BILLING),

  // Only a status: the public code is the number.
  http_400: row(400, INVALID),
  http_401: row(401, 'authentication_error'),
  http_403: row(403, 'permission_error'),
  http_404: row(404, 'not_found_error'),
  http_405: row(405, INVALID),
  http_409: row(409, 'conflict_error'),
  http_413: row(413, INVALID),
  http_415: row(415, INVALID),
  http_416: row(416, INVALID),
  http_426: row(426, INVALID),
  http_429: row(429, 'rate_limit_error'),
  http_500: row(500, 'api_error'),
  http_502: row(502, UPSTREAM),
  http_503: row(503, 'overloaded_error'),
  http_504: row(504, 'timeout_error'),
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof catalogue;

/** The value of `error.code` on the wire: the string, or the integer of a plain status. */
export function publicCode(code: ErrorCode): string | number {
  return code.startsWith('http_') ? Number(code.slice('http_'.length)) : code;
}
