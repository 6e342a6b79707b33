// A request on a direct connection, with the members that handlers use of Node's. Its body is handed on as it was read;
// while nobody listens for it the connection is not read any further.

import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { TokenDigest } from '../../platform/token-digest.ts';
import type { RequestHead } from './request-head.ts';

/**
 * What waits for its turn is read as long as there is little of it, because whether a client has left is seen only by
 * reading on.
 */
export const WAITING_BYTES_MAX = 16_384;
export const WAITING_PIECES_MAX = 64;

export class DirectRequest extends EventEmitter {
  readonly method = 'POST';
  readonly httpVersionMinor = 1;
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly socket: Socket;
  readonly tokenDigest: TokenDigest;
  /** All of the body has come. */
  complete = false;
  destroyed = false;
  /** Bytes of the body that have not come. */
  #left: number;
  /** The first parts of the body, until somebody takes them; later ones wait in the socket. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #isRead = false;
  #hasEnded = false;
  #isDumped = false;

  constructor({ path, headers, bodyBytes }: RequestHead, socket: Socket, tokenDigest: TokenDigest) {
    super();
    this.url = path;
    this.headers = headers;
    this.socket = socket;
    this.tokenDigest = tokenDigest;
    this.#left = bodyBytes;
  }

  /** Takes of these bytes what belongs to the body, and answers how many those are. */
  take(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left);
    if (end === start) return 0;
    this.#left -= end - start;
    this.complete = this.#left === 0;
    const piece = bytes.subarray(start, end);
    if (this.#isDumped) this.#endWhenComplete();
    else if (this.#isRead) this.#hand(piece);
    else this.#keep(piece);
    return end - start;
  }

  #keep(piece: Buffer): void {
    this.#unreadBytes += piece.length;
    const isFull = this.#unread.push(piece) === WAITING_PIECES_MAX || this.#unreadBytes > WAITING_BYTES_MAX;
    if (isFull && !this.complete) this.socket.pause();
  }

  #hand(piece: Buffer): void {
    this.emit('data', piece);
    this.#endWhenComplete();
  }

  #endWhenComplete(): void {
    if (!this.complete || this.#hasEnded) return;
    this.#hasEnded = true;
    this.emit('end');
  }

  /** What has come so far, once; null where nothing has. Whoever wants the rest listens for it. */
  read(): Buffer | null {
    const unread = this.#unread;
    if (unread.length === 0) return null;
    this.#unread = [];
    return unread.length === 1 ? (unread[0] as Buffer) : Buffer.concat(unread);
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
      const unread = this.read();
      if (unread !== null) this.#hand(unread);
      else this.#endWhenComplete();
      if (!this.complete) this.socket.resume();
    });
    return this;
  }

  /** Nobody wants the rest: it is dropped as it comes. */
  dump(): void {
    this.#isDumped = true;
    this.#unread = [];
    if (!this.complete) this.socket.resume();
  }

  /** The client has left. */
  lose(): void {
    if (this.complete || this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
