// Reads the answers on one connection, whichever way their bytes are divided. What one read brings of a body is handed
// on in one piece, because an upstream may send each word as a chunk of its own. It is strict: what cannot be read in
// one way only is an error, and the connection is not used again.

import { type AnswerHead, areHeaderLines, MalformedAnswer, readAnswerHead } from './answer-headers.ts';

export type AnswerSink = {
  onHead(head: AnswerHead): void;
  /** The piece belongs to the receiver. */
  onBody(piece: Buffer): void;
};

const HEAD_BYTES_MAX = 16_384;
const TRAILER_BYTES_MAX = 16_384;
/** The size of a chunk, and extensions that nobody reads. */
const SIZE_LINE_BYTES_MAX = 1_024;
/** Beyond this a size is no longer exact; the bound on the whole answer is far below. */
const CHUNK_BYTES_MAX = 2 ** 48;
const HEAD_END = Buffer.from('\r\n\r\n');
const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const TAB = 0x09;
const DELETE = 0x7f;

type Part =
  /** Between the bodies: a head is expected. */
  | 'head'
  | 'sized body'
  | 'body until the end'
  | 'size of a chunk'
  | 'blank behind the size'
  | 'extension'
  | 'end of the size'
  | 'chunk'
  | 'end of a chunk'
  | 'last byte of a chunk'
  | 'trailers';

export class AnswerReader {
  readonly #sink: AnswerSink;
  #part: Part = 'head';
  /** What has come of a head that is not complete. */
  #headText = '';
  /** Bytes that are missing of a body with a length, or of a chunk. */
  #left = 0;
  #lineBytes = 0;
  #trailers = '';
  #hasDigits = false;
  /** The empty line after the last chunk has come. */
  #isPast = false;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /**
   * Reads the first `length` bytes, which may have other contents afterwards. Answers how many of them belong to the
   * answer when it is complete, otherwise null.
   */
  read(bytes: Buffer, length: number): number | null {
    let at = 0;
    while (this.#part === 'head') {
      const end = this.#head(bytes, at, length);
      if (end === null) return null;
      at = end;
    }
    return this.#body(bytes, at, length);
  }

  #body(bytes: Buffer, at: number, length: number): number | null {
    if (this.#part === 'sized body' && this.#left === 0) return this.#complete(at);
    if (at === length) return null;
    if (this.#part === 'sized body') return this.#sized(bytes, at, length);
    if (this.#part !== 'body until the end') return this.#chunked(bytes, at, length);
    this.#sink.onBody(copyOf(bytes, at, length));
    return null;
  }

  /** The upstream has closed the connection. True where that completes the answer. */
  end(): boolean {
    if (this.#part !== 'body until the end') return false;
    this.#complete(0);
    return true;
  }

  #complete(at: number): number {
    this.#part = 'head';
    this.#isPast = false;
    return at;
  }

  /** Where the body begins; null when the head is not complete. Heads that only say that the call goes on are left out. */
  #head(bytes: Buffer, at: number, length: number): number | null {
    const come = bytes.subarray(at, length);
    const known = this.#headText.length;
    let text: string;
    let end: number;
    if (known === 0) {
      const found = come.indexOf(HEAD_END);
      end = found === -1 ? -1 : found + HEAD_END.length;
      text = come.toString('latin1', 0, end === -1 ? come.length : end - 2);
    } else {
      const joined = this.#headText + come.toString('latin1');
      const found = joined.indexOf('\r\n\r\n', Math.max(0, known - HEAD_END.length + 1));
      end = found === -1 ? -1 : found + HEAD_END.length - known;
      text = found === -1 ? joined : joined.slice(0, found + 2);
    }
    if (text.length > HEAD_BYTES_MAX) throw new MalformedAnswer('the head of the answer is too long');
    this.#headText = end === -1 ? text : '';
    if (end === -1) return null;
    const head = readAnswerHead(text);
    if (head.status === 101) throw new MalformedAnswer('the upstream changes the protocol');
    if (head.status >= 200) this.#begin(head);
    return at + end;
  }

  #begin(head: AnswerHead): void {
    const { body } = head;
    if (body === null) this.#part = 'body until the end';
    else if (body === 'chunked') {
      this.#part = 'size of a chunk';
      this.#startSize();
    } else {
      this.#part = 'sized body';
      this.#left = body.bytes;
    }
    this.#sink.onHead(head);
  }

  #sized(bytes: Buffer, at: number, length: number): number | null {
    const end = Math.min(length, at + this.#left);
    this.#left -= end - at;
    this.#sink.onBody(copyOf(bytes, at, end));
    return this.#left === 0 ? this.#complete(end) : null;
  }

  #startSize(): void {
    this.#left = 0;
    this.#lineBytes = 0;
    this.#hasDigits = false;
  }

  /** Hands on what came before a fault, too. */
  #chunked(bytes: Buffer, start: number, length: number): number | null {
    const payload = Buffer.allocUnsafe(length - start);
    let filled = 0;
    let at = start;
    let fault: string | null = null;
    let isComplete = false;
    while (at < length && fault === null && !isComplete) {
      if (this.#part === 'chunk') {
        const end = Math.min(length, at + this.#left);
        filled += bytes.copy(payload, filled, at, end);
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#part = 'end of a chunk';
        continue;
      }
      const byte = bytes[at] as number;
      at += 1;
      fault = this.#betweenChunks(byte);
      isComplete = this.#isPast;
    }
    if (filled > 0) this.#sink.onBody(payload.subarray(0, filled));
    if (fault !== null) throw new MalformedAnswer(fault);
    return isComplete ? this.#complete(at) : null;
  }

  /** One byte of what stands between the contents of two chunks; answers what is wrong with it. */
  #betweenChunks(byte: number): string | null {
    switch (this.#part) {
      case 'size of a chunk':
        return this.#size(byte);
      case 'blank behind the size':
        return this.#behindSize(byte);
      case 'extension':
        if (byte === CR) this.#part = 'end of the size';
        else if ((byte < SPACE && byte !== TAB) || byte === DELETE) return 'the line of a chunk is no HTTP';
        return this.#countLine();
      case 'end of the size':
        if (byte !== LF) return 'the line of a chunk is no HTTP';
        this.#part = this.#left === 0 ? 'trailers' : 'chunk';
        this.#trailers = '';
        return null;
      case 'trailers':
        return this.#trailer(byte);
      case 'end of a chunk':
        if (byte !== CR) return 'a chunk is longer than it says';
        this.#part = 'last byte of a chunk';
        return null;
      default:
        if (byte !== LF) return 'a chunk is longer than it says';
        this.#part = 'size of a chunk';
        this.#startSize();
        return null;
    }
  }

  #size(byte: number): string | null {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      this.#hasDigits = true;
      this.#left = this.#left * 16 + digit;
      // Zeros before it are counted, as there is no end to them otherwise.
      return this.#left > CHUNK_BYTES_MAX ? 'a chunk is too large' : this.#countLine();
    }
    return this.#hasDigits ? this.#behindSize(byte) : 'a chunk has no size';
  }

  #behindSize(byte: number): string | null {
    if (byte === CR) this.#part = 'end of the size';
    else if (byte === SEMICOLON) this.#part = 'extension';
    else if (byte === SPACE || byte === TAB) this.#part = 'blank behind the size';
    else return 'the size of a chunk is no number';
    return this.#countLine();
  }

  #countLine(): string | null {
    this.#lineBytes += 1;
    return this.#lineBytes > SIZE_LINE_BYTES_MAX ? 'the line of a chunk has no end' : null;
  }

  /** Lines after the last chunk, which nobody reads, up to an empty one. */
  #trailer(byte: number): string | null {
    this.#trailers += String.fromCharCode(byte);
    if (this.#trailers.length > TRAILER_BYTES_MAX) return 'there is too much after the last chunk';
    if (byte !== LF) return null;
    const isPast = this.#trailers === '\r\n' || this.#trailers.endsWith('\r\n\r\n');
    if (!isPast && this.#trailers.endsWith('\r\n')) return null;
    this.#isPast = isPast;
    return isPast && areHeaderLines(this.#trailers.slice(0, -2)) ? null : 'what follows the last chunk is no header';
  }
}

function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
