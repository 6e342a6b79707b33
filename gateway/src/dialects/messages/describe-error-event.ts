// An upstream's error event as a fault. Its text is for our logs only; its type tells the status.

import { isJsonObject } from '../../canonical/json.ts';
import type { StreamFault } from '../../canonical/stream-part.ts';

const DETAIL_LENGTH_MAX = 500;

const statusByType: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

export function describeErrorEvent(error: unknown): StreamFault {
  const type = isJsonObject(error) ? error.type : undefined;
  return {
    kind: 'upstream-error',
    detail: JSON.stringify(error ?? null).slice(0, DETAIL_LENGTH_MAX),
    status: statusByType.get(type) ?? null,
  };
}
