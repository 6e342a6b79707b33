// Refusals of calls for which there is no time, written before they are needed. A process that refuses thousands a
// second must not build each of them: only the request id and the date differ. Paths that are spelled in other ways
// than usual, and connections that end with their answer, are refused in the usual way.

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors/api-error.ts';
import { newId } from '../platform/ids.ts';
import { isBrowserPath } from './cors.ts';
import { errorBody, errorHeaders, errorStatus } from './error-response.ts';
import type { RouteRow } from './exchange.ts';
import { type FramedResponse, KEEP_ALIVE_TOLD_MS } from './framed-response.ts';

/** Stands for the request id until there is one. */
const PLACE = '<id>';
const SECOND_MS = 1_000;
const LAST_LINES = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_TOLD_MS / SECOND_MS}\r\n\r\n`;
/** Below it every path has a twin. */
const TWIN_PREFIX = '/api';

type PreparedRefusal = Readonly<{
  route: RouteRow;
  status: number;
  /** The head around each of the places where the request id stands. */
  pieces: readonly string[];
  body: string;
}>;

export class PreparedRefusals {
  readonly #byPath = new Map<string, PreparedRefusal>();
  #date = '';
  #dateSecond = 0;

  constructor(routes: readonly RouteRow[], error: ApiError) {
    for (const route of routes) {
      if (route.access !== 'model' || route.method !== 'POST' || route.path.includes(':')) continue;
      const refusal = prepare(route, error);
      this.#byPath.set(route.path, refusal);
      if (route.path.startsWith('/v1/')) this.#byPath.set(TWIN_PREFIX + route.path, refusal);
    }
  }

  /** Undefined for what is refused in the usual way. */
  find({ method, url }: IncomingMessage, response: FramedResponse): PreparedRefusal | undefined {
    return method === 'POST' && response.shouldKeepAlive ? this.#byPath.get(url ?? '') : undefined;
  }

  send({ status, pieces, body }: PreparedRefusal, request: IncomingMessage, response: FramedResponse): void {
    // The body is thrown away as it comes, before the stream of the request has seen it.
    (request as unknown as { _dump(): void })._dump();
    response.sendPrepared(status, `${pieces.join(newId('req'))}Date: ${this.#dateNow()}${LAST_LINES}`, body);
  }

  #dateNow(): string {
    const nowMs = Date.now();
    const second = Math.floor(nowMs / SECOND_MS);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = new Date(nowMs).toUTCString();
    }
    return this.#date;
  }
}

function prepare(route: RouteRow, error: ApiError): PreparedRefusal {
  const status = errorStatus(error, route.errors);
  const body = JSON.stringify(errorBody(error, route.errors));
  const exchange = { route, requestId: PLACE, isBrowserRoute: isBrowserPath(route.path) };
  const headers = errorHeaders(exchange, error, Buffer.byteLength(body));
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return { route, status, pieces: head.split(PLACE), body };
}
