// A request on a direct connection, with the members that handlers use of Node's. Its body is handed on as it was read;
// while nobody listens for it the connection is not read any further.

import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHead } from './request-head.ts';

export class DirectRequest extends EventEmitter {
  readonly method = 'POST';
  readonly httpVersionMinor = 1;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** All of the body has come. */
  complete = false;
  destroyed = false;
  /** Bytes of the body that have not come. */
  #left: number;
  /** The first part of the body, until somebody takes it; later ones wait in the socket. */
  #first: Buffer | null = null;
  #isRead = false;
  #isDumped = false;

  constructor({ path, headers, bodyBytes }: RequestHead, socket: Socket) {
    super();
    this.url = path;
    this.headers = headers;
    this.socket = socket;
    this.#left = bodyBytes;
  }

  /** Takes of these bytes what belongs to the body, and answers how many those are. */
  take(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left);
    if (end === start) return 0;
    this.#left -= end - start;
    this.complete = this.#left === 0;
    const piece = bytes.subarray(start, end);
    if (this.#isDumped) return end - start;
    if (this.#isRead) this.#hand(piece);
    else {
      this.#first = piece;
      if (!this.complete) this.socket.pause();
    }
    return end - start;
  }

  #hand(piece: Buffer): void {
    this.emit('data', piece);
    if (this.complete) this.emit('end');
  }

  /** What has come so far, once; null where nothing has. Whoever wants the rest listens for it. */
  read(): Buffer | null {
    const first = this.#first;
    this.#first = null;
    return first;
  }

  /** As of Node's requests, listening for data begins to bring it. */
  override on(event: string, listener: Parameters<EventEmitter['on']>[1]): this {
    super.on(event, listener);
    if (event === 'data') this.resume();
    return this;
  }

  resume(): this {
    if (this.#isRead) return this;
    this.#isRead = true;
    process.nextTick(() => {
      const first = this.read();
      if (first !== null) this.#hand(first);
      if (!this.complete) this.socket.resume();
    });
    return this;
  }

  /** Nobody wants the rest: it is dropped as it comes. */
  dump(): void {
    this.#isDumped = true;
    this.#first = null;
    if (!this.complete) this.socket.resume();
  }

  /** The client has left. */
  lose(): void {
    if (this.complete || this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
