// Browsers may call everything under /v1 from any site, because a key is needed anyway. Credentials are never allowed:
// with the wildcard origin, cookies must not be accepted.

import type { HeaderList } from './respond.ts';

export const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';
export const EXPOSE_HEADERS = 'Access-Control-Expose-Headers';
export const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Generation-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Auto-Resolved-Model',
  'x-tollgate-free-fallback',
  'x-tollgate-left-out',
  'request-id',
  'x-should-retry',
  'Idempotent-Replayed',
  'X-Tollgate-Ignored-Fields',
  'X-Tollgate-Cache',
].join(', ');

const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS';
/** The wildcard of Allow-Headers does not cover Authorization, so that one is always named. */
const DEFAULT_ALLOWED_HEADERS =
  'Authorization, Content-Type, X-Api-Key, X-Title, HTTP-Referer, X-Free-Fallback, Idempotency-Key, X-Tollgate-Cache';
const ALLOWED_HEADERS_LENGTH_MAX = 2048;
const HEADER_NAME_LIST = /^[A-Za-z0-9\-_, ]+$/;

export function isBrowserPath(path: string): boolean {
  return path.startsWith('/v1/') || path === '/v1' || path.startsWith('/api/v1/') || path === '/api/v1';
}

/**
 * SDKs send headers of their own (`x-stainless-*` and others), so the headers that the browser asks for are allowed by
 * name.
 */
export function preflightHeaders(requestedHeaders: string | undefined): HeaderList {
  const requested = requestedHeaders?.trim();
  const isGrantable =
    requested !== undefined && requested.length <= ALLOWED_HEADERS_LENGTH_MAX && HEADER_NAME_LIST.test(requested);
  return [
    'Access-Control-Allow-Methods',
    ALLOWED_METHODS,
    'Access-Control-Allow-Headers',
    isGrantable ? requested : DEFAULT_ALLOWED_HEADERS,
    'Access-Control-Max-Age',
    '86400',
    'Vary',
    'Access-Control-Request-Headers',
  ];
}
