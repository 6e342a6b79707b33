// The Messages dialect's own form of errors: its types depend on the status, those of a 403 on what was refused.

import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import type { ErrorCode } from './catalogue.ts';
import { messagesEnvelope } from './messages-envelope.ts';

test.each<[ErrorCode, string, string | number]>([
  ['missing_required_field', 'invalid_request_error', 'missing_required_field'],
  ['http_400', 'invalid_request_error', 400],
  ['http_401', 'authentication_error', 401],
  ['insufficient_credits', 'billing_error', 'insufficient_credits'],
  ['http_403', 'permission_error', 403],
  ['model_not_allowed', 'permission_error', 'model_not_allowed'],
  ['content_filter', 'invalid_request_error', 'content_filter'],
  ['content_moderation', 'invalid_request_error', 'content_moderation'],
  ['http_404', 'not_found_error', 404],
  ['model_retired', 'not_found_error', 'model_retired'],
  ['http_413', 'request_too_large', 413],
  ['upstream_rate_limited', 'rate_limit_error', 'upstream_rate_limited'],
  ['http_500', 'api_error', 500],
  ['upstream_unreachable', 'api_error', 'upstream_unreachable'],
  ['http_503', 'overloaded_error', 503],
  ['http_504', 'timeout_error', 504],
])('MSGS-10 %s', (code, type, publicCode) => {
  const envelope = messagesEnvelope(new ApiError(code, 'Words.', { detail: 'secret' }));
  expect(JSON.parse(JSON.stringify(envelope))).toEqual({
    type: 'error',
    error: { type, message: 'Words.', code: publicCode },
  });
});

test('MSGS-10 details are public, and only here', () => {
  const error = new ApiError('unsupported_param', 'Words.', { details: { error_code: 'x' } });
  expect(messagesEnvelope(error).error.details).toEqual({ error_code: 'x' });
  expect(JSON.stringify(error.envelope())).not.toContain('error_code');
});
