// The `error` member of the upstream's envelope, the same in a body and in a stream. A stream has no HTTP status, so
// the type stands for it.

import { isJsonObject } from '../../../canonical/json.ts';

const statuses: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Null for an unknown type. */
export function statusOfError(error: unknown): number | null {
  return isJsonObject(error) ? (statuses.get(error.type) ?? null) : null;
}

/** For logs only. */
export function describeError(error: unknown): string {
  if (!isJsonObject(error)) return typeof error === 'string' ? error : 'no description';
  const type = typeof error.type === 'string' ? error.type : '-';
  return `${type} ${typeof error.message === 'string' ? error.message : '-'}`;
}
