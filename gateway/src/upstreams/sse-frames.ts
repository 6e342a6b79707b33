// The frames of an upstream's event stream, decoded, for streams that are translated: each is what a client's own parser
// would read. Memory is bounded whatever the upstream sends.

import type { StreamFault } from '../canonical/stream-part.ts';
import { readFields, WholeEvents, withoutComments } from '../platform/whole-events.ts';

export type SseFrame = Readonly<{
  /** The value of the `event:` line; null without one. */
  event: string | null;
  /** Never empty, because a frame without data is dropped. */
  data: string;
}>;

/** More than any frame of an answer has. */
const FRAME_BYTES_MAX = 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';
const NO_FRAMES: readonly SseFrame[] = [];
const OVERSIZE: StreamFault = { kind: 'oversize', detail: 'a frame is over its limit', status: null };

export class SseFrames {
  readonly #frameBytesMax: number;
  readonly #events: WholeEvents;
  #isFirst = true;

  /** A frame exceeded its limit; no more frames are given. */
  isOversize = false;

  /** In some formats the last frame repeats the whole answer, and needs a higher limit. */
  constructor(frameBytesMax = FRAME_BYTES_MAX) {
    this.#frameBytesMax = frameBytesMax;
    this.#events = new WholeEvents(frameBytesMax);
  }

  get keptBytes(): number {
    return this.#events.keptBytes;
  }

  push(chunk: Buffer): readonly SseFrame[] {
    if (this.isOversize) return NO_FRAMES;
    const frames = this.#read(this.#events.push(chunk));
    if (this.#events.isOversize) this.isOversize = true;
    return frames;
  }

  /** The upstream has ended; a last frame without its blank line still counts. */
  end(): readonly SseFrame[] {
    return this.isOversize ? NO_FRAMES : this.#read(this.#events.end());
  }

  streamFault(): StreamFault | null {
    return this.isOversize ? OVERSIZE : null;
  }

  #read(latin1: string): readonly SseFrame[] {
    if (latin1 === '') return NO_FRAMES;
    const fitting = latin1.length > this.#frameBytesMax ? this.#beforeOversize(latin1) : latin1;
    // Whole events have whole characters.
    let text = Buffer.from(fitting, 'latin1').toString('utf8');
    if (this.#isFirst && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#isFirst = false;
    const frames: SseFrame[] = [];
    let position = 0;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', position)) {
      const { name, data } = readFields(text.slice(position, end));
      if (data !== '') frames.push({ event: name, data });
      position = end + 2;
    }
    return frames;
  }

  /** The events before the first that is over the limit, as it may be although it came to its end. */
  #beforeOversize(latin1: string): string {
    let position = 0;
    for (let end = latin1.indexOf('\n\n'); end !== -1; end = latin1.indexOf('\n\n', position)) {
      const length = end - position;
      if (length > this.#frameBytesMax && withoutComments(latin1.slice(position, end)).length > this.#frameBytesMax) {
        this.isOversize = true;
        return latin1.slice(0, position);
      }
      position = end + 2;
    }
    return latin1;
  }
}
