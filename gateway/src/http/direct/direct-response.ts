// The answer on a direct connection, with the members that handlers use of Node's. A whole answer leaves in one write
// with its head, and each piece of a stream in one with its framing. It is over once the system has all of it, and only
// then may the next request on the connection be answered.

import { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HeaderLines } from '../../platform/header-lines.ts';
import { isJoinable, writeJoined } from '../../platform/write-joined.ts';
import type { Piece } from '../exchange.ts';
import { frame, KEEP_ALIVE_TOLD_MS, LARGE_LENGTH_MIN, LAST_CHUNK, UNREAD_MS_MAX } from '../framed-response.ts';
import { httpDate } from '../http-date.ts';

/** What a response tells its connection. */
export type ResponseOwner = Readonly<{
  /** Nothing of it is left to be sent. */
  onAnswered(): void;
}>;

type Spelling = BufferEncoding;

const NOT_SENDABLE = /[^\t\x20-\x7e\x80-\xff]/;
const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_TOLD_MS / 1_000}\r\n`;
const CLOSED = 'Connection: close\r\n';
const FRAMED = 'Transfer-Encoding: chunked\r\n';
const LENGTH_NAME = 'Content-Length';

const lines = new HeaderLines((name, value) => {
  if (NOT_SENDABLE.test(value)) throw new Error(`the header ${name} of the response has letters that cannot be sent`);
  return `${name}: ${value}\r\n`;
});

export class DirectResponse extends EventEmitter {
  readonly #socket: Socket;
  readonly #owner: ResponseOwner;
  /** The head, until it leaves with the first piece. */
  #head = '';
  #isFramed = false;
  #isTimed = false;
  #isClosed = false;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  shouldKeepAlive = true;
  statusCode = 200;

  constructor(socket: Socket, owner: ResponseOwner) {
    super();
    this.#socket = socket;
    this.#owner = owner;
  }

  get writableLength(): number {
    return this.destroyed ? 0 : this.#head.length + this.#socket.writableLength;
  }

  writeHead(status: number, headers: readonly string[]): this {
    if (this.headersSent) throw new Error('the head of the response has been written');
    const start = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    let isSized = false;
    for (let index = 0; index < headers.length; index += 2) if (headers[index] === LENGTH_NAME) isSized = true;
    // Without a length the end of the body is marked, except where there is none.
    this.#isFramed = !isSized && status !== 204;
    const connection = this.shouldKeepAlive ? KEPT : CLOSED;
    const ending = `Date: ${httpDate()}\r\n${connection}${this.#isFramed ? FRAMED : ''}\r\n`;
    this.#head = start + lines.write(headers) + ending;
    this.statusCode = status;
    this.headersSent = true;
    return this;
  }

  startFramed(status: number, headers: readonly string[]): void {
    this.writeHead(status, headers);
  }

  sendPrepared(status: number, head: string, body: string): void {
    this.statusCode = status;
    this.headersSent = true;
    this.#head = head;
    this.end(body, 'latin1');
  }

  writeContinue(): void {}

  breakOff(): void {}

  /**
   * False where the client has more than enough to read; `drain` follows. False too where it has said that it leaves and
   * something is unsent: `close` follows, and until then nothing more should be made for nobody.
   */
  write(piece: Piece, spelling: Spelling = 'utf8'): boolean {
    if (this.destroyed || this.writableEnded) return true;
    if (!this.#socket.writable) return this.#socket.destroyed;
    if (piece.length === 0) return !this.#socket.writableNeedDrain;
    return this.#pass(this.#isFramed ? frame(piece, spelling) : [piece, spelling]);
  }

  end(piece: Piece = '', spelling: Spelling = 'utf8'): this {
    if (this.destroyed || this.writableEnded) return this;
    if (!this.headersSent) this.writeHead(200, []);
    this.writableEnded = true;
    const socket = this.#socket;
    // Nothing can be sent any more: the end of the connection is the end of the response.
    if (!socket.writable) return this;
    if (piece.length + this.writableLength >= LARGE_LENGTH_MIN) this.setTimeout(UNREAD_MS_MAX);
    if (this.#isFramed) {
      const [framed, spelled] = piece.length === 0 ? ['', spelling] : frame(piece, spelling);
      this.#pass([framed + LAST_CHUNK, spelled]);
    } else if (piece.length > 0 || this.#head !== '') this.#pass([piece, spelling]);
    if (socket.writableLength === 0) finishSoon(this);
    else {
      socket.write('', (error) => {
        if (error === null || error === undefined) this.finish();
      });
    }
    return this;
  }

  #pass([piece, spelling]: readonly [Piece, Spelling]): boolean {
    const head = this.#head;
    const socket = this.#socket;
    this.#head = '';
    if (head === '') return socket.write(piece, spelling);
    if (typeof piece === 'string' && (spelling === 'latin1' || Buffer.byteLength(piece) === piece.length)) {
      return socket.write(head + piece, 'latin1');
    }
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (isJoinable(head, bytes)) return writeJoined(socket, head, bytes);
    socket.cork();
    socket.write(head, 'latin1');
    const isTaken = socket.write(bytes);
    socket.uncork();
    return isTaken;
  }

  /** The system has all of it. */
  finish(): void {
    if (this.destroyed || this.#socket.destroyed) return;
    this.writableFinished = true;
    if (this.#isTimed) this.setTimeout(0);
    this.close();
    this.#owner.onAnswered();
  }

  /** A client that does not read for so long is dropped; zero takes that back. */
  setTimeout(timeoutMs: number): this {
    if (this.#isClosed) return this;
    this.#isTimed = timeoutMs > 0;
    this.#socket.setTimeout(timeoutMs);
    return this;
  }

  /** Cuts the connection, which closes the response when it is gone. */
  destroy(): this {
    if (this.#isClosed) return this;
    this.destroyed = true;
    this.#socket.destroy();
    return this;
  }

  /** Once, at its end or when the connection is gone. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.destroyed = true;
    this.emit('close');
  }
}

/** Many answers end in one turn, those of a batch, and scheduling something costs as much as a small write. */
let finishing: DirectResponse[] = [];

/** Once whoever has ended it is done. */
function finishSoon(response: DirectResponse): void {
  if (finishing.push(response) === 1) process.nextTick(finishAll);
}

function finishAll(): void {
  const finished = finishing;
  finishing = [];
  for (const response of finished) response.finish();
}
