// The response of this server. Node writes each piece of a stream in four parts: its length, a line end, the piece, a
// line end. A stream of events has many small pieces, so its response frames them itself, with one write each. A client
// that does not read a large answer or a download is dropped. Everything else is as Node does it.

import { type IncomingMessage, ServerResponse } from 'node:http';
import type { HttpResponse, Piece } from './exchange.ts';

export const LAST_CHUNK = '0\r\n\r\n';
/** Longer than the idle timeout of common load balancers, so that they close first and never meet a reset. */
export const KEEP_ALIVE_TOLD_MS = 65_000;
/** And so much longer is it kept, so that a client that goes by what it was told closes first, however busy both are. */
export const KEEP_ALIVE_TIMEOUT_MS = KEEP_ALIVE_TOLD_MS + 15_000;
export const LARGE_LENGTH_MIN = 1024 * 1024;
/**
 * A client that reads is not dropped, as far as the system tells: it says so for each third of its buffer, which may
 * have 4 MB on a fast network, so that less than some 20 KB a second may be too little there. Node looks twice, so
 * that one who reads nothing is dropped after up to two minutes.
 */
export const UNREAD_MS_MAX = 60_000;
/** Downloads are larger and take little memory, so that they may be read five times as slowly. */
const UNREAD_DOWNLOAD_MS_MAX = 5 * UNREAD_MS_MAX;

type Done = (error?: Error | null) => void;

/** As much as a socket takes without a pause. */
const BRIEF_LENGTH_MAX = 16_384;

/** How Node sends a piece of a response, which is not among the declared members. */
type Sender = Readonly<{
  _headerSent: boolean;
  _send(piece: Piece, encoding?: string, sent?: () => void, length?: number): boolean;
}>;
const usual = ServerResponse.prototype as unknown as Sender;

export class FramedResponse extends ServerResponse<IncomingMessage> {
  #isFramed = false;
  #isBrief = false;

  /** Where Node keeps what it tells; it would tell what it keeps to. */
  get _keepAliveTimeout(): number {
    return KEEP_ALIVE_TOLD_MS;
  }

  set _keepAliveTimeout(_: number) {}

  /** Replaces `writeHead` for a body that comes in pieces. */
  startFramed(status: number, headers: readonly string[]): void {
    // HTTP/1.0 clients do not know chunked bodies: for them the end of the connection is the end of the body.
    const canFrame = this.req.httpVersionMajor === 1 && this.req.httpVersionMinor === 1;
    this.writeHead(status, canFrame ? [...headers, 'Transfer-Encoding', 'chunked'] : [...headers]);
    if (!canFrame) return;
    this.chunkedEncoding = false;
    this.#isFramed = true;
  }

  /** Instead of `writeHead` and `end`, for an answer that was written before: none of it is built or checked again. */
  sendPrepared(status: number, head: string, body: string): void {
    this.statusCode = status;
    // The body of the request is thrown away as it comes, before its stream has seen it.
    (this.req as unknown as { _dump(): void })._dump();
    // Where Node keeps a head that is ready; it sends it and the body in one piece.
    (this as unknown as { _header: string })._header = head;
    super.end(body, 'latin1');
  }

  /**
   * Node writes an empty piece last, only to hear when everything has left. With it a brief answer is a list of two,
   * which takes far longer to send than one piece; and nobody waits for a brief answer to have left.
   */
  _send(piece: Piece, encoding?: string, sent?: () => void, length?: number): boolean {
    const isLast = this.#isBrief && piece === '' && (this as unknown as Sender)._headerSent;
    if (!isLast || sent === undefined) return usual._send.call(this, piece, encoding, sent, length);
    process.nextTick(sent);
    return true;
  }

  /** Marks a stream that ends with a failure, for which nothing was charged. */
  breakOff(): void {}

  override write(piece: Piece, encoding?: BufferEncoding | Done, done?: Done): boolean {
    const how = typeof encoding === 'string' ? encoding : 'utf8';
    const callback = typeof encoding === 'function' ? encoding : done;
    if (!this.#isFramed || piece.length === 0) return super.write(piece, how, callback);
    const [framed, spelled] = frame(piece, how);
    return super.write(framed, spelled, callback);
  }

  override end(piece?: Piece | (() => void), encoding?: BufferEncoding | (() => void), done?: () => void): this {
    // Nobody listens for the timeout, so Node cuts the connection.
    const lastLength = typeof piece === 'function' ? 0 : (piece?.length ?? 0);
    if (lastLength + this.writableLength >= LARGE_LENGTH_MIN) this.setTimeout(UNREAD_MS_MAX);
    this.#isBrief = lastLength + this.writableLength < BRIEF_LENGTH_MAX && this.socket?.destroyed === false;
    // Node joins the head with a text and writes both at once; bytes would be a second write. One character is one byte.
    if (this.#isBrief && !this.#isFramed && Buffer.isBuffer(piece)) {
      return super.end(piece.toString('latin1'), 'latin1', typeof encoding === 'function' ? encoding : done);
    }
    if (!this.#isFramed || this.writableEnded) return super.end(piece, encoding as BufferEncoding, done);
    const last = typeof piece === 'function' || piece === undefined ? '' : piece;
    const callback = [piece, encoding, done].find((it) => typeof it === 'function');
    const [framed, spelled] = last.length === 0 ? [''] : frame(last, typeof encoding === 'string' ? encoding : 'utf8');
    return super.end(framed + LAST_CHUNK, spelled ?? 'latin1', callback as (() => void) | undefined);
  }
}

/**
 * Resolves once the client has read what was written, or has left. The limit is for the reader alone: what is sent may
 * come as slowly as it likes and cuts nobody off.
 */
export const drained = (response: HttpResponse): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn);
      response.off('close', goOn);
      response.setTimeout(0);
      resolve();
    };
    response.on('drain', goOn);
    response.on('close', goOn);
    response.setTimeout(UNREAD_DOWNLOAD_MS_MAX);
  });

/** Written as text, which Node sends in one piece with the framing. Each byte becomes one character. */
export function frame(piece: Piece, encoding: BufferEncoding): readonly [string, BufferEncoding] {
  const isText = typeof piece === 'string';
  const text = isText ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
  const spelled = isText ? encoding : 'latin1';
  return [`${Buffer.byteLength(text, spelled).toString(16)}\r\n${text}\r\n`, spelled];
}
