// What a request leads to: its exchange, its row, and what its handler throws. It runs for every call, so nothing here
// allocates or parses what the call may not need.

import { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { bodyBytesMax, bodyTooLarge } from './body.ts';
import { isBrowserPath, preflightHeaders } from './cors.ts';
import { asApiError, sendError } from './error-response.ts';
import type { Exchange, HttpRequest, HttpResponse, RouteRow } from './exchange.ts';
import type { LoadGauge } from './load-gauge.ts';
import { PreparedRefusals } from './prepared-refusals.ts';
import { baseHeaders } from './reply-headers.ts';
import { sendEmpty } from './respond.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { normalizePath, parameterWithNul } from './target.ts';

export type ServeOptions = Readonly<{
  routes: readonly RouteRow[];
  logger: Logger;
  /** Called for every finished answer; the path is the route's pattern, so that there are few values. */
  onFinished?: (routePath: string, status: number, durationMs: number) => void;
  /** Asked before anything of a model call is read. */
  load?: Pick<LoadGauge, 'refuses' | 'isOverloaded'>;
}>;

/** `found` is the row of an ordinary call of a model; for other requests it is looked for. */
type Serve = (request: HttpRequest, response: HttpResponse, found: RouteRow | null) => void;

const NO_PARAMS = {};

/** `modelRoutes` are those whose refusals are written before they are needed. */
export function serveRequests(
  { routes, logger, onFinished, load }: ServeOptions,
  modelRoutes: ReadonlyMap<string, RouteRow>,
  isDraining: () => boolean,
): Serve {
  const table = createRouteTable(routes);
  const refusals = new PreparedRefusals(modelRoutes, OVERLOADED);
  return (request, response, found) => {
    if (isDraining()) response.shouldKeepAlive = false;
    const refusal = load?.isOverloaded === true ? refusals.find(request, response) : undefined;
    if (refusal !== undefined && load?.refuses(declaredBytes(request)) === true) {
      refusals.send(refusal, response);
      onFinished?.(refusal.route.path, refusal.status, 0);
      return;
    }
    const exchange = found === null ? openExchange(table, request, response) : exchangeOf(request, response, found);
    if (onFinished !== undefined) {
      response.on('close', () => {
        onFinished(exchange.route.path, finalStatus(response), performance.now() - exchange.startedMs);
      });
    }
    // Asked once for each: those for which a refusal was at hand have been taken.
    if (exchange.route.access === 'model' && refusal === undefined && load?.refuses(declaredBytes(request))) {
      // There may be thousands a second, and a log line for each would be more load. They are counted.
      sendError(exchange, OVERLOADED);
      return;
    }
    try {
      const handling = handle(exchange);
      if (handling !== undefined) handling.catch((thrown: unknown) => fail(exchange, thrown, logger));
    } catch (thrown) {
      fail(exchange, thrown, logger);
    }
  };
}

function fail(exchange: Exchange, thrown: unknown, logger: Logger): void {
  const error = asApiError(thrown);
  logFailure(logger, exchange, error);
  try {
    sendError(exchange, error);
  } catch (fault) {
    logger.error({ requestId: exchange.requestId, error: asApiError(fault) }, 'an error answer could not be written');
    exchange.response.destroy();
  }
}

/** A client that left before it was answered has no status of ours; 499 is what proxies call it. */
const finalStatus = (response: HttpResponse): number => (response.headersSent ? response.statusCode : 499);

function handle(exchange: Exchange): void | Promise<void> {
  const { request, route, queryText } = exchange;
  const ambiguity = ambiguityOf(request);
  if (ambiguity !== null) {
    // The bytes that follow on this connection may belong to another request.
    exchange.response.shouldKeepAlive = false;
    throw new ApiError('http_400', ambiguity);
  }
  const wrong = parameterWithNul(queryText);
  if (wrong !== null) throw new ApiError('http_400', `${wrong}: must not hold a NUL character.`);
  if (declaredBytes(request) > bodyBytesMax(route)) throw bodyTooLarge(bodyBytesMax(route));
  return route.handle(exchange);
}

/** Zero when the body comes in chunks. Node has refused a length that is no number. */
const declaredBytes = ({ headers }: HttpRequest): number => Number(headers['content-length'] ?? 0);

/** Reports, health checks and the console go on: only model calls are refused. */
const OVERLOADED = new ApiError('http_503', 'The service has more to do than it can. Please try again shortly.', {
  retryAfterSeconds: 1,
});

/** Why a proxy on the way may have read the request differently; null when there is no reason. */
function ambiguityOf(request: HttpRequest): string | null {
  // Direct connections take what is unambiguous, and nothing else.
  if (!(request instanceof IncomingMessage)) return null;
  const { headers, rawHeaders, httpVersionMinor } = request;
  if (headers.host === undefined && httpVersionMinor > 0) return 'The Host header is missing.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'The only transfer coding is chunked.';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? 'There must be one Host header.' : null;
}

function openExchange(table: RouteTable, request: HttpRequest, response: HttpResponse): Exchange {
  const target = request.url ?? '';
  const queryStart = target.indexOf('?');
  const rawPath = queryStart === -1 ? target : target.slice(0, queryStart);
  const path = normalizePath(rawPath);
  const isBrowserRoute = isBrowserPath(path ?? rawPath);
  const match = path === null ? null : table.find(request.method ?? '', path);
  const route = match?.route ?? unmatchedRoute({ table, request, path, isBrowserRoute });
  return {
    ...exchangeOf(request, response, route, isBrowserRoute),
    params: match?.params ?? NO_PARAMS,
    queryText: queryStart === -1 ? '' : target.slice(queryStart + 1),
  };
}

function exchangeOf(
  request: HttpRequest,
  response: HttpResponse,
  route: RouteRow,
  isBrowserRoute = isBrowserPath(route.path),
): Exchange {
  const requestId = newId('req');
  return {
    request,
    response,
    requestId,
    startedMs: performance.now(),
    route,
    isBrowserRoute,
    params: NO_PARAMS,
    queryText: '',
    headers: baseHeaders(route, requestId, isBrowserRoute),
  };
}

type Unmatched = Readonly<{
  table: RouteTable;
  request: HttpRequest;
  path: string | null;
  isBrowserRoute: boolean;
}>;

/** A request without a route gets one whose handler throws the reason, so that it takes the same path as all others. */
function unmatchedRoute({ table, request, path, isBrowserRoute }: Unmatched): RouteRow {
  if (path === null) return malformedTarget;
  if (request.method === 'OPTIONS' && isBrowserRoute) return preflight;
  const methods = table.methodsOf(path);
  const refusal = methods.length === 0 ? notFound : methodNotAllowed(methods.join(', '));
  return path.startsWith('/scim/') ? { ...refusal, errors: 'scim' } : refusal;
}

const unmatched = (handle: RouteRow['handle']): RouteRow => ({
  method: 'GET',
  path: '(unmatched)',
  access: 'public',
  handle,
});

const malformedTarget = unmatched(() => {
  throw new ApiError('http_400', 'The request target is malformed.');
});
const notFound = unmatched(() => {
  throw new ApiError('http_404', 'There is nothing at this path.');
});
const preflight = unmatched((exchange) =>
  sendEmpty(exchange, 204, preflightHeaders(exchange.request.headers['access-control-request-headers'])),
);
const methodNotAllowed = (allowed: string): RouteRow =>
  unmatched(() => {
    throw new ApiError('http_405', `This path allows only: ${allowed}.`, { headers: { Allow: allowed } });
  });

function logFailure(logger: Logger, exchange: Exchange, error: ApiError): void {
  const fields = {
    requestId: exchange.requestId,
    route: exchange.route.path,
    status: error.status,
    code: error.code,
    detail: error.detail,
    error: error.cause === undefined || error.cause instanceof Error ? error.cause : new Error(String(error.cause)),
  };
  // A failed call is not logged as an error once its client has left; a bug of ours always is.
  const isAlarming = error.status === 500 || (error.status > 500 && !exchange.response.destroyed);
  if (isAlarming) logger.error(fields, error.message);
  else logger.debug(fields, error.message);
}
