// The errors that follow from what a route is: who may call it, whether it reads a body or a query, whether its path
// names something. A description lists only further ones.

import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Access, RouteRow } from '../../http/exchange.ts';
import type { Description } from './description.ts';

const ALWAYS: readonly ErrorCode[] = ['http_500', 'http_503'];
const OF_KEYS_AND_SESSIONS: readonly ErrorCode[] = ['http_401', 'http_403', 'http_429'];
const OF_BODIES: readonly ErrorCode[] = [
  'http_400',
  'missing_required_field',
  'unsupported_param',
  'http_413',
  'http_415',
];

const byAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  public: [],
  operator: ['http_401', 'http_403', 'http_429'],
  model: OF_KEYS_AND_SESSIONS,
  account: OF_KEYS_AND_SESSIONS,
  management: OF_KEYS_AND_SESSIONS,
  person: OF_KEYS_AND_SESSIONS,
  manager: OF_KEYS_AND_SESSIONS,
  session: OF_KEYS_AND_SESSIONS,
  directory: OF_KEYS_AND_SESSIONS,
};

/** Each code once. */
export function errorsOf(
  { access, path }: Pick<RouteRow, 'access' | 'path'>,
  { body, form, query, errors }: Description,
): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...(body === undefined && form === undefined ? [] : OF_BODIES),
    ...(query === undefined ? [] : (['http_400'] as const)),
    ...byAccess[access],
    ...(path.includes(':') ? (['http_404'] as const) : []),
    ...(errors ?? []),
    ...ALWAYS,
  ]);
  return [...codes];
}

/** Errors that any model call may get. */
export const OF_CALLS: readonly ErrorCode[] = [
  'unknown_model',
  'invalid_model_id',
  'model_endpoint_mismatch',
  'model_not_priced',
  'model_not_allowed',
  'model_retired',
  'invalid_modality_for_model',
  'wrong_endpoint_for_video',
  'unknown_4xx',
  // A provider may find any prompt too long.
  'context_too_long',
  // A repetition with another body.
  'http_409',
  'invalid_prompt',
  'content_filter',
  'content_moderation',
  'insufficient_credits',
  'credit_limit_exceeded',
  'spend_limit_exceeded',
  'budget_cap_reached',
  'upstream_rate_limited',
  'upstream_unreachable',
  'upstream_auth_failed',
  'upstream_unavailable',
  'http_504',
];

export const OF_CONVERSATIONS: readonly ErrorCode[] = [
  ...OF_CALLS,
  'embedding_on_chat_endpoint',
  'max_tokens_invalid',
  'tool_use_unsupported',
  'invalid_tools_definition',
  'malformed_tool_messages',
  'invalid_response_format_schema',
  'invalid_image_url',
  'input_images_not_supported',
];

export const OF_IMAGES: readonly ErrorCode[] = [
  ...OF_CALLS,
  'missing_prompt',
  'invalid_n',
  'unsupported_response_format',
  'no_images',
  'pipeline_error',
];
