// Cuts an upstream's bytes into the frames of an event stream. It works on whole lines of bytes, because a read may end
// anywhere: inside a character, between CR and LF, before the blank line. Memory is bounded whatever the upstream
// sends.

import type { StreamFault } from '../canonical/stream-part.ts';

export type SseFrame = Readonly<{
  /** The value of the `event:` line; null without one. */
  event: string | null;
  /** Never empty, because a frame without data is dropped. */
  data: string;
}>;

/** More than any frame of an answer has. */
const FRAME_BYTES_MAX = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';
/** A buffer that one long line has enlarged is released after that line. */
const KEPT_BYTES_MAX = 16_384;
const NO_BYTES = Buffer.alloc(0);
const OVERSIZE: StreamFault = { kind: 'oversize', detail: 'a frame is over its limit', status: null };

export class SseFrames {
  /** The start of a line whose end has not come yet, in a buffer with room to grow. */
  #line: Buffer = NO_BYTES;
  #lineBytes = 0;
  /** The last byte of a read was CR; an LF that follows belongs to it. */
  #endsWithCarriageReturn = false;
  #isFirstLine = true;
  #event: string | null = null;
  #data: string[] = [];
  #frameBytes = 0;
  #frames: SseFrame[] = [];

  /** A frame exceeded its limit; no more frames are given. */
  isOversize = false;
  readonly #frameBytesMax: number;

  /** In some formats the last frame repeats the whole answer, and needs a higher limit. */
  constructor(frameBytesMax = FRAME_BYTES_MAX) {
    this.#frameBytesMax = frameBytesMax;
  }

  push(chunk: Buffer): readonly SseFrame[] {
    let position = 0;
    if (this.#endsWithCarriageReturn && chunk.length > 0) {
      this.#endsWithCarriageReturn = false;
      if (chunk[0] === LINE_FEED) position = 1;
    }
    let carriageReturn = chunk.indexOf(CARRIAGE_RETURN, position);
    let lineFeed = chunk.indexOf(LINE_FEED, position);
    while (!this.isOversize && (carriageReturn !== -1 || lineFeed !== -1)) {
      const isCarriageReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed);
      const end = isCarriageReturn ? carriageReturn : lineFeed;
      this.#completeLine(chunk.subarray(position, end));
      position = end + 1;
      if (isCarriageReturn) {
        if (lineFeed === position) position += 1;
        else if (position === chunk.length) this.#endsWithCarriageReturn = true;
        carriageReturn = chunk.indexOf(CARRIAGE_RETURN, position);
      }
      if (lineFeed !== -1 && lineFeed < position) lineFeed = chunk.indexOf(LINE_FEED, position);
    }
    if (!this.isOversize && position < chunk.length) this.#keep(chunk.subarray(position));
    return this.#takeFrames();
  }

  /** The upstream has ended; a last frame without its blank line still counts. */
  end(): readonly SseFrame[] {
    if (this.#lineBytes > 0 && !this.isOversize) this.#completeLine(NO_BYTES);
    if (!this.isOversize) this.#completeFrame();
    return this.#takeFrames();
  }

  streamFault(): StreamFault | null {
    return this.isOversize ? OVERSIZE : null;
  }

  #takeFrames(): readonly SseFrame[] {
    const frames = this.#frames;
    if (frames.length > 0) this.#frames = [];
    return frames;
  }

  #keep(bytes: Buffer): void {
    const length = this.#lineBytes + bytes.length;
    if (this.#isTooLong(length)) return;
    if (length > this.#line.length) {
      const grown = Buffer.allocUnsafe(length * 2);
      this.#line.copy(grown, 0, 0, this.#lineBytes);
      this.#line = grown;
    }
    bytes.copy(this.#line, this.#lineBytes);
    this.#lineBytes = length;
  }

  #completeLine(bytes: Buffer): void {
    const length = this.#lineBytes + bytes.length;
    if (this.#isTooLong(length)) return;
    let text: string;
    if (this.#lineBytes === 0) text = bytes.toString('utf8');
    else {
      this.#keep(bytes);
      text = this.#line.toString('utf8', 0, this.#lineBytes);
      this.#lineBytes = 0;
      if (this.#line.length > KEPT_BYTES_MAX) this.#line = NO_BYTES;
    }
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    }
    if (text === '') this.#completeFrame();
    else this.#readField(text, length);
  }

  #readField(line: string, bytes: number): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name !== 'data' && name !== 'event') return;
    this.#frameBytes += bytes;
    const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    const value = colon === -1 ? '' : line.slice(start);
    if (name === 'data') this.#data.push(value);
    else this.#event = value;
  }

  #completeFrame(): void {
    const data = this.#data.length === 1 ? (this.#data[0] ?? '') : this.#data.join('\n');
    if (data !== '') this.#frames.push({ event: this.#event, data });
    this.#event = null;
    if (this.#data.length > 0) this.#data = [];
    this.#frameBytes = 0;
  }

  #isTooLong(lineBytes: number): boolean {
    if (this.#frameBytes + lineBytes > this.#frameBytesMax) this.isOversize = true;
    return this.isOversize;
  }
}
