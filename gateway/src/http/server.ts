// The HTTP edge: it listens, bounds how long clients may take, and ends in good order. What a request leads to is in
// `serve-request.ts`; who reads it, Node or a direct connection, makes no difference there.

import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerClientError } from './client-error.ts';
import type { ConnectionTimeouts } from './direct/direct-connection.ts';
import { DirectConnections, sweepIntervalMs } from './direct/direct-connections.ts';
import { FramedResponse, KEEP_ALIVE_TIMEOUT_MS } from './framed-response.ts';
import { closeWhileQueued } from './queued-responses.ts';
import { modelPaths } from './route-table.ts';
import { type ServeOptions, serveRequests } from './serve-request.ts';

export type HttpServerOptions = ServeOptions &
  Readonly<{
    headersTimeoutMs?: number;
    /** For the whole request with its body; the answer has no such limit. */
    requestTimeoutMs?: number;
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

type Listener = RequestListener<typeof IncomingMessage, typeof FramedResponse>;
type NodeServer = Server<typeof IncomingMessage, typeof FramedResponse>;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger } = options;
  let isDraining = false;
  const routes = modelPaths(options.routes);
  const serve = serveRequests(options, routes, () => isDraining);
  const onResponseError = (error: Error): void => logger.error({ error }, 'a response could not be written');
  const timeouts = timeoutsOf(options);
  const server = createNodeServer(timeouts, (request, response) => {
    response.on('error', onResponseError);
    closeWhileQueued(request, response);
    serve(request, response, null);
  });
  const direct = new DirectConnections(server, { timeouts, routes, serve });
  return {
    listen: (port, host) => listen(server, port, host),
    isDraining: () => isDraining,
    drain(deadlineMs) {
      isDraining = true;
      return drain(server, direct, deadlineMs);
    },
  };
}

const timeoutsOf = (options: HttpServerOptions): ConnectionTimeouts => ({
  headersMs: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
  requestMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  idleMs: KEEP_ALIVE_TIMEOUT_MS,
});

function createNodeServer(timeouts: ConnectionTimeouts, onRequest: Listener): NodeServer {
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
      connectionsCheckingInterval: sweepIntervalMs(timeouts),
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
      direct.closeAll();
      resolve();
    });
  });
}
