// What all decoders of streams have in common: frames are read one after the other until one of them ends the stream,
// and after that nothing more comes out. An upstream is a stranger: whatever it sends, the outcome is a part.

import type { JsonObject } from '../canonical/json.ts';
import { isSaid } from '../canonical/says-something.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../canonical/stream-part.ts';
import { readJsonObject } from '../platform/read-json-object.ts';
import { type SseFrame, SseFrames } from './sse-frames.ts';

type Framer<Frame> = Readonly<{
  keptBytes: number;
  push(chunk: Buffer): readonly Frame[];
  /** Where the last frame counts without its end. */
  end?(): readonly Frame[];
  /** Why nothing more can be read. */
  streamFault(): StreamFault | null;
}>;

export abstract class FrameDecoder<Frame> implements StreamDecoder {
  readonly #framer: Framer<Frame>;
  /** What the current read has brought so far. */
  protected parts: StreamPart[] = [];
  protected isOver = false;
  #hasSpoken = false;

  constructor(framer: Framer<Frame>) {
    this.#framer = framer;
  }

  get keptBytes(): number {
    return this.#framer.keptBytes;
  }

  push(chunk: Buffer): readonly StreamPart[] {
    if (!this.isOver) this.#readAll(this.#framer.push(chunk));
    return this.#takeParts();
  }

  end(): readonly StreamPart[] {
    if (!this.isOver && this.#framer.end !== undefined) this.#readAll(this.#framer.end());
    if (!this.isOver) this.close();
    this.isOver = true;
    return this.#takeParts();
  }

  /** Whether anything of the answer has come. */
  protected get hasSpoken(): boolean {
    this.#hasSpoken ||= this.parts.some(isSaid);
    return this.#hasSpoken;
  }

  protected abstract readFrame(frame: Frame): void;

  /** The upstream has ended without an end mark. */
  protected abstract close(): void;

  protected done(): void {
    this.isOver = true;
    this.parts.push({ type: 'done' });
  }

  protected fail(kind: StreamFault['kind'], detail: string, status: number | null = null): void {
    this.failWith({ kind, detail, status });
  }

  protected failWith(fault: StreamFault): void {
    this.isOver = true;
    this.parts.push({ type: 'error', fault });
  }

  #takeParts(): readonly StreamPart[] {
    const { parts } = this;
    this.#hasSpoken ||= parts.some(isSaid);
    this.parts = [];
    return parts;
  }

  #readAll(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.readFrame(frame);
      if (this.isOver) return;
    }
    const fault = this.#framer.streamFault();
    if (fault !== null) this.fail(fault.kind, fault.detail);
  }
}

type ReadJson = (data: string) => JsonObject | null;

/** For event streams whose data is a JSON object each. */
export abstract class EventDecoder extends FrameDecoder<SseFrame> {
  readonly #read: ReadJson;

  constructor(frameBytesMax?: number, read: ReadJson = readJsonObject) {
    super(new SseFrames(frameBytesMax));
    this.#read = read;
  }

  protected readFrame({ event, data }: SseFrame): void {
    // Only one protocol has this mark, but some upstreams that copy others end so too.
    if (data === '[DONE]') return;
    const json = this.#read(data);
    if (json === null) this.fail('malformed', 'a frame is no usable JSON object');
    else this.readEvent(json, event);
  }

  protected abstract readEvent(json: JsonObject, event: string | null): void;
}
