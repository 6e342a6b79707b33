// Refusals of calls for which there is no time, written before they are needed. A process that refuses thousands a
// second must not build each of them: only the request id and the date differ. Paths that are spelled in other ways
// than usual, and connections that end with their answer, are refused in the usual way.

import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors/api-error.ts';
import { newId } from '../platform/ids.ts';
import { isBrowserPath } from './cors.ts';
import { errorBody, errorHeaders, errorStatus } from './error-response.ts';
import type { HttpRequest, HttpResponse, RouteRow } from './exchange.ts';
import { KEEP_ALIVE_TOLD_MS } from './framed-response.ts';
import { httpDate } from './http-date.ts';

/** Stands for the request id until there is one. */
const PLACE = '<id>';
const SECOND_MS = 1_000;
const LAST_LINES = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_TOLD_MS / SECOND_MS}\r\n\r\n`;

type PreparedRefusal = Readonly<{
  route: RouteRow;
  status: number;
  /** The head around each of the places where the request id stands. */
  pieces: readonly string[];
  body: string;
}>;

export class PreparedRefusals {
  readonly #byPath = new Map<string, PreparedRefusal>();

  constructor(routes: ReadonlyMap<string, RouteRow>, error: ApiError) {
    for (const [path, route] of routes) this.#byPath.set(path, prepare(route, error));
  }

  /** Undefined for what is refused in the usual way. */
  find({ method, url }: HttpRequest, response: HttpResponse): PreparedRefusal | undefined {
    return method === 'POST' && response.shouldKeepAlive ? this.#byPath.get(url ?? '') : undefined;
  }

  send({ status, pieces, body }: PreparedRefusal, response: HttpResponse): void {
    response.sendPrepared(status, `${pieces.join(newId('req'))}Date: ${httpDate()}${LAST_LINES}`, body);
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
