// Keeps other sites from acting through a visitor's browser. Browsers state where a request comes from, and a page
// cannot change that; a body that is not JSON could have been sent by a plain form.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, HttpRequest } from '../../http/exchange.ts';

export type SiteServices = Readonly<{
  /** Without a trailing slash. */
  siteUrl(): string;
  /** Whether the operator set the site's address, or it is where the gateway listens. */
  isSiteUrlSet: boolean;
}>;

/** For requests with a cookie: they must state that they come from this site. */
export function refuseForeignChange({ request }: Exchange, site: SiteServices): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin } = request.headers;
  const isOwn =
    origin === undefined ? request.headers['sec-fetch-site'] === 'same-origin' : isOwnOrigin(origin, request, site);
  if (!isOwn) throw foreign();
  if (hasBody(request) && !isJson(request)) {
    throw new ApiError(
      'http_403',
      'A change made with a session needs a JSON body: send Content-Type: application/json.',
    );
  }
}

/**
 * For forms that anybody may send, such as signing in. Programs state no origin and are accepted; a browser always does
 * on a change, and then it must be this site.
 */
export function refuseForeignForm({ request }: Exchange, site: SiteServices): void {
  const { origin } = request.headers;
  if (origin !== undefined && !isOwnOrigin(origin, request, site)) throw foreign();
  if (!isJson(request)) throw new ApiError('http_415', 'Send JSON, with Content-Type: application/json.');
}

/** The site's origin as this visitor's browser states it, for requests that were found to come from it. */
export function originOf({ request }: Exchange, { siteUrl }: SiteServices): string {
  return request.headers.origin ?? new URL(siteUrl()).origin;
}

const foreign = (): ApiError =>
  new ApiError(
    'http_403',
    'This request does not come from this site. A browser says so by itself; a program uses a management key instead of a session.',
  );

function isOwnOrigin(origin: string, request: HttpRequest, { siteUrl, isSiteUrlSet }: SiteServices): boolean {
  if (isSiteUrlSet) return origin === new URL(siteUrl()).origin;
  // The operator set no address, so the site is whatever the visitor's browser calls it.
  return URL.canParse(origin) && new URL(origin).host === request.headers.host;
}

const hasBody = ({ headers }: HttpRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isJson = ({ headers }: HttpRequest): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
