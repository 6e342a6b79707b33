// The HTTP edge: one listener that turns a raw request into an exchange, finds its row and catches what its handler
// throws. It runs for every call, so nothing here allocates or parses what the call may not need.

import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '../errors/api-error.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { bodyBytesMax, bodyTooLarge } from './body.ts';
import { answerClientError } from './client-error.ts';
import { isBrowserPath, preflightHeaders } from './cors.ts';
import type { ConnectionTimeouts } from './direct/direct-connection.ts';
import { DirectConnections } from './direct/direct-connections.ts';
import { asApiError, sendError } from './error-response.ts';
import type { Exchange, HttpRequest, HttpResponse, RouteRow } from './exchange.ts';
import { FramedResponse, KEEP_ALIVE_TIMEOUT_MS } from './framed-response.ts';
import type { LoadGauge } from './load-gauge.ts';
import { PreparedRefusals } from './prepared-refusals.ts';
import { baseHeaders } from './reply-headers.ts';
import { sendEmpty } from './respond.ts';
import { createRouteTable, modelPaths, type RouteTable } from './route-table.ts';
import { normalizePath, parameterWithNul } from './target.ts';

export type HttpServerOptions = Readonly<{
  routes: readonly RouteRow[];
  logger: Logger;
  /** Called for every finished answer; the path is the route's pattern, so that there are few values. */
  onFinished?: (routePath: string, status: number, durationMs: number) => void;
  headersTimeoutMs?: number;
  /** For the whole request with its body; the answer has no such limit. */
  requestTimeoutMs?: number;
  /** Asked before anything of a model call is read. */
  load?: Pick<LoadGauge, 'refuses' | 'isOverloaded'>;
}>;

export type HttpServer = Readonly<{
  listen(port: number, host: string): Promise<AddressInfo>;
  isDraining(): boolean;
  /** Stops accepting, lets running calls end until the deadline, then cuts the rest. */
  drain(deadlineMs: number): Promise<void>;
}>;

const HEADER_BYTES_MAX = 16_384;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CONNECTIONS_MAX = 20_000;
const DRAIN_POLL_MS = 50;
/**
 * How many connections may wait to be accepted, as far as the system allows. Beyond it clients wait for seconds or are
 * cut off, without this process knowing.
 */
const BACKLOG = 4_096;

const NO_PARAMS = {};

type Listener = RequestListener<typeof IncomingMessage, typeof FramedResponse>;
type NodeServer = Server<typeof IncomingMessage, typeof FramedResponse>;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, onFinished, load } = options;
  const table = createRouteTable(options.routes);
  let isDraining = false;

  const fail = (exchange: Exchange, thrown: unknown): void => {
    const error = asApiError(thrown);
    logFailure(logger, exchange, error);
    try {
      sendError(exchange, error);
    } catch (fault) {
      logger.error({ requestId: exchange.requestId, error: asApiError(fault) }, 'an error answer could not be written');
      exchange.response.destroy();
    }
  };
  const onResponseError = (error: Error): void => logger.error({ error }, 'a response could not be written');

  const paths = modelPaths(options.routes);
  const refusals = new PreparedRefusals(paths, OVERLOADED);

  /** A request whose route has been found is an ordinary call of a model. */
  const serve = (request: HttpRequest, response: HttpResponse, found: RouteRow | null): void => {
    if (isDraining) response.shouldKeepAlive = false;
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
    try {
      // Asked once for each: those for which a refusal was at hand have been taken.
      if (exchange.route.access === 'model' && refusal === undefined && load?.refuses(declaredBytes(request))) {
        // There may be thousands a second, and a log line for each would be more load. They are counted.
        sendError(exchange, OVERLOADED);
        return;
      }
      const handling = handle(exchange);
      if (handling !== undefined) handling.catch((thrown: unknown) => fail(exchange, thrown));
    } catch (thrown) {
      fail(exchange, thrown);
    }
  };

  const onRequest: Listener = (request, response) => {
    response.on('error', onResponseError);
    serve(request, response, null);
  };

  const server = createNodeServer(options, onRequest);
  const timeouts = timeoutsOf(options);
  const direct = new DirectConnections(server, { timeouts, routes: paths, serve });
  const sweepMs = checkMs(timeouts);
  const sweeping = setInterval(() => direct.sweep(sweepMs), sweepMs).unref();
  return {
    listen: (port, host) => listen(server, port, host),
    isDraining: () => isDraining,
    drain(deadlineMs) {
      isDraining = true;
      return drain(server, direct, deadlineMs).finally(() => clearInterval(sweeping));
    },
  };
}

const timeoutsOf = (options: HttpServerOptions): ConnectionTimeouts => ({
  headersMs: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
  requestMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  idleMs: KEEP_ALIVE_TIMEOUT_MS,
});

/** How often late clients are looked for. */
const checkMs = ({ headersMs }: ConnectionTimeouts): number => Math.min(5_000, headersMs / 2);

function createNodeServer(options: HttpServerOptions, onRequest: Listener): NodeServer {
  const timeouts = timeoutsOf(options);
  const server = createServer<typeof IncomingMessage, typeof FramedResponse>(
    {
      ServerResponse: FramedResponse,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
      // Node's own answer to a missing Host header has no body.
      requireHostHeader: false,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.idleMs,
      connectionsCheckingInterval: checkMs(timeouts),
    },
    onRequest,
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', answerClientError);
  // Without a listener Node would ask for the body before the caller is known; `readBody` asks for it instead. Where
  // nobody does, the client may or may not send it, so the connection cannot be used again.
  server.on('checkContinue', (request, response) => {
    response.shouldKeepAlive = false;
    onRequest(request, response);
  });
  // Other expectations are ignored, because Node's refusal would have no body either.
  server.on('checkExpectation', onRequest);
  return server;
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

function listen(server: NodeServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function drain(server: NodeServer, direct: DirectConnections, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection whose last answer was begun before the drain stays open afterwards, so idle connections are closed
    // repeatedly.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      direct.closeIdle();
    }, DRAIN_POLL_MS);
    const deadline = setTimeout(() => {
      server.closeAllConnections();
      direct.closeAll();
    }, deadlineMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
