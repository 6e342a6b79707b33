// The response of a call that does not depend on its client: what is written is kept, and passed on to every client
// that follows. The call runs to its end even when all of them leave, or as long as its client stays; the last piece is
// held back until `release`, so that the answer can be stored before anybody has seen all of it.

import { EventEmitter } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PIECE_BYTES } from '../platform/piece-bytes.ts';
import type { Exchange } from './exchange.ts';
import type { FramedResponse } from './framed-response.ts';

export type Recording = Readonly<{
  status: number;
  /** Names and values in turn, without the headers of a single exchange. */
  headers: readonly string[];
  /** It was written in pieces, like a stream of events. */
  isFramed: boolean;
  body: Buffer;
}>;

type Head = Omit<Recording, 'body'>;
type Follower = Readonly<{
  exchange: Exchange;
  headers: readonly string[];
  done(): void;
  failed(error: unknown): void;
}>;

/** Where memory is counted: false where there is not so much for this response. */
type Room = Readonly<{ cover(bytes: number): boolean }>;

type RecordingOptions = Readonly<{
  /** It is the response of one client: closed when that one has left, and taking no more than that one reads. */
  endsWithFollowers?: boolean;
  room?: Room;
}>;

/** The most that waits for a follower who does not read, where memory is short. */
const UNREAD_BYTES_SHORT = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export class RecordedResponse extends EventEmitter {
  readonly #bytesMax: number;
  readonly #endsWithFollowers: boolean;
  readonly #room: Room | null;
  readonly #followers = new Set<Follower>();
  #head: Head | null = null;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #heldBytes = 0;
  #last: Buffer = NOTHING;
  #isTooLarge = false;
  /** The stream ended with a failure that the client is told inside it. */
  isBroken = false;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  shouldKeepAlive = true;
  statusCode = 0;

  constructor(bytesMax: number, { endsWithFollowers = false, room }: RecordingOptions = {}) {
    super();
    this.#room = room ?? null;
    this.#bytesMax = bytesMax;
    this.#endsWithFollowers = endsWithFollowers;
    this.setMaxListeners(0);
  }

  /** It has the members that the pipeline uses of a response. */
  asResponse(): FramedResponse {
    return this as unknown as FramedResponse;
  }

  writeHead(status: number, headers: readonly string[] = []): this {
    return this.#begin({ status, headers: [...headers], isFramed: false });
  }

  startFramed(status: number, headers: readonly string[]): void {
    this.#begin({ status, headers: [...headers], isFramed: true });
  }

  write(piece: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    if (this.destroyed || this.writableEnded) return true;
    const bytes = bytesOf(piece, encoding);
    this.#keep(bytes);
    let isTaken = true;
    for (const follower of this.#followers) isTaken = this.#pass(follower, bytes) && isTaken;
    this.#fit();
    return isTaken || !this.#endsWithFollowers;
  }

  end(piece?: string | Uint8Array, encoding: BufferEncoding = 'utf8'): this {
    if (this.destroyed || this.writableEnded) return this;
    this.#last = piece === undefined ? NOTHING : bytesOf(piece, encoding);
    this.#keep(this.#last);
    this.#fit();
    this.writableEnded = true;
    return this;
  }

  breakOff(): void {
    this.isBroken = true;
  }

  /** Cuts a file in the middle. */
  destroy(): this {
    this.destroyed = true;
    if (this.#endsWithFollowers) this.release();
    return this;
  }

  writeContinue(): void {}

  /** Null when there is no whole answer, or more of it than is kept. */
  recording(): Recording | null {
    if (this.#head === null || !this.writableEnded || this.destroyed || this.#isTooLarge) return null;
    return { ...this.#head, body: Buffer.concat(this.#pieces) };
  }

  /** Whether a client that comes now can still get all of it. */
  get isFollowable(): boolean {
    return !this.#isTooLarge && !this.writableFinished && !this.destroyed;
  }

  /** Everything so far, and what is to come. Resolves when the exchange has its answer. */
  follow(exchange: Exchange, headers: readonly string[] = []): Promise<void> {
    return new Promise((resolve, reject) => {
      const follower: Follower = { exchange, headers, done: resolve, failed: reject };
      this.#followers.add(follower);
      if (exchange.response.destroyed) {
        this.#leave(follower);
        return;
      }
      exchange.response.once('close', () => this.#leave(follower));
      if (this.#endsWithFollowers) exchange.response.on('drain', () => this.emit('drain'));
      if (this.#head === null) return;
      this.#show(follower, this.#head);
      const held = this.writableEnded ? this.#pieces.slice(0, -1) : this.#pieces;
      for (const piece of held) this.#pass(follower, piece);
      this.#fit();
    });
  }

  /** Ends it for all followers. Like any response, it closes when they have read it or have left. */
  release(): void {
    this.writableFinished = true;
    this.#drop();
    if (this.#followers.size === 0) this.emit('close');
    for (const { exchange, done } of [...this.#followers]) {
      if (this.destroyed) exchange.response.destroy();
      else exchange.response.end(this.#last);
      done();
    }
  }

  /** There is no answer; each follower gets the error in its own form. */
  fail(error: unknown): void {
    this.destroyed = true;
    for (const { failed } of [...this.#followers]) failed(error);
    this.#followers.clear();
    this.#drop();
    this.emit('close');
  }

  #begin(head: Head): this {
    this.#head = head;
    this.headersSent = true;
    this.statusCode = head.status;
    for (const follower of this.#followers) this.#show(follower, head);
    return this;
  }

  #show({ exchange, headers }: Follower, head: Head): void {
    if (exchange.response.destroyed) return;
    showHead(exchange, head, headers);
  }

  /**
   * False where the follower has more than enough to read. One that a call does not wait for is cut off when more waits
   * for it than any recording has.
   */
  #pass(follower: Follower, bytes: Buffer): boolean {
    const { response } = follower.exchange;
    if (response.destroyed) this.#leave(follower);
    else if (!this.#endsWithFollowers && response.writableLength > this.#bytesMax) response.destroy();
    else if (bytes.length > 0) return response.write(bytes);
    return true;
  }

  #leave(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    follower.done();
    this.#fit();
    if (this.#followers.size > 0) return;
    if (this.#endsWithFollowers && !this.writableEnded) this.destroyed = true;
    else if (!this.writableFinished) return;
    this.emit('close');
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#bytesMax) this.#isTooLarge = true;
    if (this.#isTooLarge) this.#drop();
    else {
      this.#pieces.push(bytes);
      this.#heldBytes += bytes.length + PIECE_BYTES;
    }
  }

  #drop(): void {
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#fit();
  }

  /**
   * Counts what is kept and what waits for followers. Where there is no room for both, nothing is kept; where there is
   * none for the rest, followers who do not read are cut off.
   */
  #fit(): void {
    if (this.#room === null) return;
    let unreadBytes = 0;
    for (const { exchange } of this.#followers) unreadBytes += exchange.response.writableLength;
    if (this.#room.cover(this.#heldBytes + unreadBytes)) return;
    if (this.#heldBytes > 0) {
      this.#isTooLarge = true;
      this.#drop();
      return;
    }
    for (const { exchange } of this.#followers) {
      if (exchange.response.writableLength > UNREAD_BYTES_SHORT) exchange.response.destroy();
    }
  }
}

function showHead(exchange: Exchange, { status, headers, isFramed }: Head, more: readonly string[]): void {
  const list = exchange.headers.concat(headers, more);
  if (isFramed) exchange.response.startFramed(status, list);
  else exchange.response.writeHead(status, list);
}

/** Sends a recorded answer to another client. */
export function replay(exchange: Exchange, recording: Recording, headers: readonly string[]): void {
  showHead(exchange, recording, headers);
  exchange.response.end(recording.body);
}

function bytesOf(piece: string | Uint8Array, encoding: BufferEncoding): Buffer {
  return typeof piece === 'string' ? Buffer.from(piece, encoding) : Buffer.from(piece);
}

/**
 * A request whose body has been read, to be read again. Without a Content-Length of its own its end would not be known.
 */
export function requestAgain(
  from: Pick<IncomingMessage, 'headers' | 'method' | 'url'> & Partial<Pick<IncomingMessage, 'socket'>>,
  body: Buffer,
): IncomingMessage {
  const request = new IncomingMessage(from.socket ?? new Socket());
  const { expect: _expect, 'transfer-encoding': _coding, ...headers } = from.headers;
  request.headers = { ...headers, 'content-length': String(body.length) };
  request.method = from.method ?? 'POST';
  request.url = from.url ?? '/';
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  request.complete = true;
  request.push(body);
  request.push(null);
  return request;
}
