// What every response carries whatever its outcome: the request id, and on the browser-facing paths the CORS headers.

import { ALLOW_ORIGIN, EXPOSE_HEADERS, EXPOSED_HEADERS } from './cors.ts';
import type { RouteRow } from './exchange.ts';

/** A fresh flat list each time, because stages add to it. */
export function baseHeaders(route: RouteRow, requestId: string, isBrowserRoute: boolean): string[] {
  const headers = ['X-Request-Id', requestId];
  // An answer that needs a credential belongs to one caller, so no cache on the way may keep it.
  if (route.access !== 'public') headers.push('Cache-Control', 'no-store');
  if (!isBrowserRoute) return headers;
  headers.push(ALLOW_ORIGIN, '*', EXPOSE_HEADERS, EXPOSED_HEADERS);
  // SDKs of the Messages dialect read the id under this name.
  if (route.errors === 'messages') headers.push('request-id', requestId);
  return headers;
}
