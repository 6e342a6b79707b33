// A client's connection from its first byte on. Ordinary calls of models are read and answered here, one after another,
// at half of what Node's own parser and response cost; with the first request that is anything else the connection and
// what came of that request go to Node's server, which has it to its end.

import type { Socket } from 'node:net';
import type { RosterMember } from '../../platform/roster.ts';
import { TokenDigest } from '../../platform/token-digest.ts';
import { answerClientError } from '../client-error.ts';
import type { RouteRow } from '../exchange.ts';
import { DirectRequest, WAITING_BYTES_MAX, WAITING_PIECES_MAX } from './direct-request.ts';
import { DirectResponse, type ResponseOwner } from './direct-response.ts';
import { type RequestHead, RequestHeadReader } from './request-head.ts';

export type DirectConnectionOwner = Readonly<{
  timeouts: ConnectionTimeouts;
  /** Null where Node has to answer a request with this head. */
  routeOf(head: RequestHead): RouteRow | null;
  serve(request: DirectRequest, response: DirectResponse, route: RouteRow): void;
  /** Node has the connection from here on. */
  onYielded(connection: DirectConnection, socket: Socket): void;
  onClosed(connection: DirectConnection): void;
}>;

export type ConnectionTimeouts = Readonly<{
  /** Until the first request begins. */
  headersMs: number;
  /** For a request with its body. */
  requestMs: number;
  /** Between two requests. */
  idleMs: number;
}>;

/** What belongs to a socket until it is destroyed, which is not among the declared members. */
type Handle = Readonly<{ writeQueueSize?: number }>;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const TIMEOUT = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
const HALF_BODY = new Error('the connection has ended within the body of a request');

export class DirectConnection implements RosterMember, ResponseOwner {
  place = -1;
  readonly #socket: Socket;
  readonly #owner: DirectConnectionOwner;
  readonly #heads = new RequestHeadReader();
  readonly #tokenDigest = new TokenDigest();
  #request: DirectRequest | null = null;
  #response: DirectResponse | null = null;
  /** What came behind a request before that was answered. */
  #surplus: Buffer[] = [];
  #surplusBytes = 0;
  /** Its last answer has been given, or its client sends no more. */
  #isEnding = false;
  /** What had left of an answer that has ended when it was last looked at. */
  #sentBytes = 0;
  #isFresh = true;
  /** How long it has waited for what it waits for, in steps of the sweep. */
  #waitedMs = 0;

  constructor(socket: Socket, owner: DirectConnectionOwner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on('data', this.#onData).on('drain', this.#onDrain).on('end', this.#onEnd);
    socket.on('timeout', this.#cut).on('error', this.#cut).on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.#request === null;
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isEnding) return;
    const request = this.#request;
    if (request === null) {
      this.#begin(bytes);
      return;
    }
    const taken = request.complete ? 0 : request.take(bytes, 0);
    if (taken < bytes.length) this.#keep(bytes.subarray(taken));
    if (request.complete) this.#goOn();
  };

  #begin(read: Buffer): void {
    const bytes = withoutLineEnds(read);
    if (bytes.length === 0) return;
    const head = this.#heads.read(bytes);
    const route = head === null ? null : this.#owner.routeOf(head);
    if (head === null || route === null) {
      this.#yield(bytes);
      return;
    }
    const socket = this.#socket;
    const request = new DirectRequest(head, socket, this.#tokenDigest);
    const response = new DirectResponse(socket, this);
    this.#isFresh = false;
    this.#waitedMs = 0;
    this.#request = request;
    this.#response = response;
    const end = head.end + request.take(bytes, head.end);
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    this.#owner.serve(request, response, route);
  }

  /** Where it is much, no more is read until the request before it is answered. */
  #keep(surplus: Buffer): void {
    this.#surplusBytes += surplus.length;
    const isFull = this.#surplus.push(surplus) >= WAITING_PIECES_MAX || this.#surplusBytes > WAITING_BYTES_MAX;
    if (isFull) this.#socket.pause();
  }

  onAnswered(): void {
    const response = this.#response;
    this.#response = null;
    if (response?.shouldKeepAlive === false) {
      // What follows is not answered, so it must not be begun: its client may send it again elsewhere.
      this.#isEnding = true;
      this.#socket.destroySoon();
      return;
    }
    if (this.#request?.complete === false) this.#request.dump();
    else this.#goOn();
  }

  /** The next request, once the one before it has come and has been answered. */
  #goOn(): void {
    if (this.#response !== null || this.#isEnding || this.#socket.destroyed) return;
    this.#request = null;
    this.#waitedMs = 0;
    const surplus = this.#surplus;
    if (surplus.length === 0) return;
    this.#surplus = [];
    this.#surplusBytes = 0;
    this.#socket.resume();
    this.#begin(surplus.length === 1 ? (surplus[0] as Buffer) : Buffer.concat(surplus));
  }

  #yield(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('drain', this.#onDrain).off('end', this.#onEnd);
    socket.off('timeout', this.#cut).off('error', this.#cut).off('close', this.#onClose);
    socket.unshift(bytes);
    this.#owner.onYielded(this, socket);
  }

  readonly #onDrain = (): void => {
    this.#response?.emit('drain');
  };

  /** A client that sends no more has left, as for Node, which refuses half a body. */
  readonly #onEnd = (): void => {
    this.#isEnding = true;
    const isHalf = this.#request?.complete === false && this.#response?.headersSent === false;
    if (isHalf) answerClientError(HALF_BODY, this.#socket);
    else this.#socket.end();
  };

  readonly #cut = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#owner.onClosed(this);
    this.#request?.lose();
    this.#response?.close();
  };

  close(): void {
    this.#socket.destroy();
  }

  sweep(passedMs: number): void {
    const { headersMs, requestMs, idleMs } = this.#owner.timeouts;
    // While an answer is made nobody waits for the client.
    if (this.#request?.complete === true && (this.#response?.writableEnded !== true || this.#isMoving())) {
      this.#waitedMs = 0;
      return;
    }
    this.#waitedMs += passedMs;
    if (this.#response?.writableEnded === true) {
      if (this.#waitedMs > idleMs) this.close();
    } else if (this.#request !== null) {
      if (this.#waitedMs > requestMs) this.#refuse(this.#response?.headersSent === false);
    } else if (this.#isFresh) {
      if (this.#waitedMs > headersMs) this.#refuse(true);
    } else if (this.#waitedMs > idleMs) this.close();
  }

  /**
   * Whether the client has taken of the answer since the last time. A write of many megabytes is written at once for
   * Node, and only its handle knows how much of it has not left.
   */
  #isMoving(): boolean {
    const { bytesWritten, _handle: handle } = this.#socket as Socket & { _handle?: Handle | null };
    const before = this.#sentBytes;
    this.#sentBytes = bytesWritten - (handle?.writeQueueSize ?? 0);
    return this.#sentBytes !== before;
  }

  #refuse(isUnanswered: boolean): void {
    // What still comes behind the refusal must not begin a call.
    this.#isEnding = true;
    if (isUnanswered) answerClientError(TIMEOUT, this.#socket);
    else this.close();
  }
}

/** Some clients send a line end behind a body, which belongs to no request (RFC 9112, 2.2). */
function withoutLineEnds(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CARRIAGE_RETURN || bytes[start] === LINE_FEED) start += 1;
  return start === 0 ? bytes : bytes.subarray(start);
}
