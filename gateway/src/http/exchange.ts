// One HTTP request and its response as endpoints see them. It carries the raw Node objects, because the inference
// routes write to the socket themselves; everything else uses the small functions of this folder.

import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller, OperatorRole } from '../canonical/caller.ts';
import type { BatchLine } from '../canonical/handed-line.ts';
import type { TokenDigest } from '../platform/token-digest.ts';

type Listening = Pick<EventEmitter, 'on' | 'once' | 'off'>;

/** What handlers use of a request, whether Node's parser has read it or a direct connection. */
export type HttpRequest = Listening &
  Readonly<{
    method?: string | undefined;
    url?: string | undefined;
    httpVersionMinor: number;
    /** Of a direct connection, the next call has the same object where it sends the same. */
    headers: Readonly<IncomingHttpHeaders>;
    socket: Socket;
    /** Of a direct connection. */
    tokenDigest?: TokenDigest;
    complete: boolean;
    destroyed: boolean;
    /** What has come of the body since the last time; null where nothing has. */
    read(): Buffer | null;
    resume(): unknown;
  }>;

export type Piece = string | Uint8Array;

/** What handlers use of a response. `close` follows its end, and a client that has left. */
export type HttpResponse = Listening & {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly writableLength: number;
  readonly destroyed: boolean;
  readonly statusCode: number;
  shouldKeepAlive: boolean;
  /** Names and values in turn. */
  writeHead(status: number, headers: string[]): HttpResponse;
  /** Instead, for a body that comes in pieces. */
  startFramed(status: number, headers: readonly string[]): void;
  /** Instead of all others, for an answer that was written before. */
  sendPrepared(status: number, head: string, body: string): void;
  /** False where the client has more than enough to read; `drain` follows. */
  write(piece: Piece, spelling?: 'utf8' | 'latin1'): boolean;
  end(piece?: Piece, spelling?: 'utf8' | 'latin1'): unknown;
  writeContinue(): void;
  /** Marks a stream that ends with a failure, for which nothing was charged. */
  breakOff(): void;
  setTimeout(timeoutMs: number): unknown;
  destroy(): unknown;
};

export type Exchange = Readonly<{
  request: HttpRequest;
  response: HttpResponse;
  /** Sent as `X-Request-Id` on every response. */
  requestId: string;
  /** The matched route. Access, body limit and error form are decided by it alone, never by the path. */
  route: RouteRow;
  /** When the request came in, by the monotonic clock. */
  startedMs: number;
  /** Below /v1: the answer carries the CORS headers. */
  isBrowserRoute: boolean;
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string | undefined>>;
  /** The raw query string without `?`; parse it where it is needed. */
  queryText: string;
  /**
   * Names and values in turn, as `writeHead` takes them: what a successful response carries besides its content
   * headers. Stages add to it (the rate-limit window); an error answer starts afresh without their additions.
   */
  headers: string[];
  /** The caller, where it has been authenticated and counted before: for a call that is run on somebody's behalf. */
  caller?: Caller;
  /** The call has begun before and goes on under its old generation, so an existing charge is not made again. */
  resumed?: Readonly<{ generationId: string; calledAtMs: number }>;
  /** The network that a call which is run later was ordered from. */
  orderedFrom?: string;
  /** The line of a batch that the call is run for. */
  line?: BatchLine;
}>;

export type Handler = (exchange: Exchange) => void | Promise<void>;

/**
 * Who may call a route. `model`: standard keys only (management keys get 403). `account`: any key. `management`:
 * management keys only. `person`: any key, or a session. `manager`: a management key, or a session. `session`: a
 * session alone. `directory`: the provisioning token of an organization. `operator`: the operator token, or the session
 * of an operator whose role suffices. `public`: nobody is asked.
 */
export type Access =
  | 'public'
  | 'model'
  | 'account'
  | 'management'
  | 'person'
  | 'manager'
  | 'session'
  | 'directory'
  | 'operator';

/** How errors of a route are written; the Messages dialect and SCIM have envelopes of their own. */
export type ErrorDialect = 'tollgate' | 'messages' | 'scim';

export type RouteRow = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** find-my-way syntax: `/v1/models/:slug`. `/api/v1/...` twins are made by the server. */
  path: string;
  access: Access;
  /** A student's session of an institution may call it too. Only rows with this mark accept one. */
  isForStudents?: true;
  /** For an `operator` route: the lowest role that may call it. */
  leastRole?: OperatorRole;
  errors?: ErrorDialect;
  /** The specification's 10 MB where it is left out. */
  bodyBytesMax?: number;
  handle: Handler;
}>;
