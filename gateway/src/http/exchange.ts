// One HTTP request and its response as endpoints see them. It carries the raw Node objects, because the inference
// routes write to the socket themselves; everything else uses the small functions of this folder.

import type { IncomingMessage } from 'node:http';
import type { Caller, OperatorRole } from '../canonical/caller.ts';
import type { BatchLine } from '../canonical/handed-line.ts';
import type { FramedResponse } from './framed-response.ts';

export type Exchange = Readonly<{
  request: IncomingMessage;
  response: FramedResponse;
  /** Sent as `X-Request-Id` on every response. */
  requestId: string;
  /** The matched row. Access, body limit and error form are judged by it alone, never by the path again. */
  route: RouteRow;
  /** When it came in, by the clock that never jumps. */
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
  /** Who calls, where that has been found out and counted before: a call that is run on somebody's behalf. */
  caller?: Caller;
  /** The call has begun before, and goes on under its old name: a charge that stands is then not made again. */
  resumed?: Readonly<{ generationId: string; calledAtMs: number }>;
  /** The line of a batch that it is run for. */
  line?: BatchLine;
}>;

export type Handler = (exchange: Exchange) => void | Promise<void>;

/**
 * Who may call a route. `model`: standard keys only (management keys get 403). `account`: any key. `management`:
 * management keys only. `person`: any key, or a session. `manager`: a management key, or a session. `session`: a
 * session alone. `directory`: the provisioning token of an organization. `operator`: the operator token, or the session of
 * an operator whose role suffices. `public`: nobody is asked.
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
  /** A student's session of an institution may call it as well. It counts for nothing on any other row. */
  isForStudents?: true;
  /** Of an `operator` row: the least that an operator must be. */
  leastRole?: OperatorRole;
  errors?: ErrorDialect;
  /** The specification's 10 MB unless the row says otherwise. */
  bodyBytesMax?: number;
  handle: Handler;
}>;
