// A stream from one format into another: the protocol's decoder turns the bytes into parts, and the dialect's renderer
// turns the parts into frames. Usage and finish are kept here until the finale.

import { isProvokedEnd } from '../canonical/finish-reason.ts';
import { isSaid } from '../canonical/says-something.ts';
import type { StreamDecoder, StreamFault, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';
import { encodeLatin1 } from './sent-event.ts';
import type { StreamFinish, StreamPipe, StreamRenderer } from './stream-pipe.ts';

const UNSPOKEN_FINISH: StreamFinish = { reason: 'stop', native: null, stopSequence: null };
const CUT_FINISH: StreamFinish = { reason: 'length', native: null, stopSequence: null };

export class TranslatingPipe implements StreamPipe {
  readonly #decoder: StreamDecoder;
  readonly #renderer: StreamRenderer;
  #finish: StreamFinish | null = null;
  usage: Usage | null = null;
  hasUsage = false;
  hasSpoken = false;
  isDone = false;
  fault: StreamFault | null = null;
  frameCount = 0;
  contentBytes = 0;

  constructor(decoder: StreamDecoder, renderer: StreamRenderer) {
    this.#decoder = decoder;
    this.#renderer = renderer;
  }

  get keepAliveFrame(): string {
    return this.#renderer.keepAliveFrame;
  }

  get hasFinished(): boolean {
    return this.#finish !== null && this.#finish.reason !== 'error' && this.#finish.isUnsure !== true;
  }

  get finishReason(): string | null {
    return this.#finish?.reason ?? null;
  }

  get keptBytes(): number {
    return this.#decoder.keptBytes;
  }

  push(chunk: Buffer): string {
    return this.#take(this.#decoder.push(chunk));
  }

  end(): string {
    return this.#take(this.#decoder.end());
  }

  cut(): void {
    this.#finish = CUT_FINISH;
    this.isDone = true;
  }

  finale(usage: Usage, costUsd: number): string {
    return encodeLatin1(this.#renderer.finale(this.#finish ?? UNSPOKEN_FINISH, usage, costUsd));
  }

  failure(error: ApiError): string {
    return encodeLatin1(this.#renderer.failure(error));
  }

  /** Parts that were kept elsewhere until now, and are counted there. */
  show(parts: readonly StreamPart[]): string {
    return encodeLatin1(parts.map((part) => this.#renderer.render(part)).join(''));
  }

  #take(parts: readonly StreamPart[]): string {
    let output = '';
    for (const part of parts) {
      if (this.isDone || this.fault !== null) break;
      this.hasSpoken ||= isSaid(part);
      switch (part.type) {
        case 'usage':
          this.hasUsage = true;
          this.usage = part.usage;
          break;
        case 'finish':
          this.#finish = part;
          break;
        case 'error':
          this.fault = part.fault;
          break;
        case 'picture':
          // Shown later, after it has been checked.
          break;
        case 'done':
          // An upstream that ends without a finish or usage has broken off.
          if (this.#finish !== null || this.hasUsage) this.isDone = true;
          else this.fault = { kind: 'malformed', detail: 'the stream ended without a finish', status: null };
          break;
        default:
          this.#count(part);
          output += this.#renderer.render(part);
      }
      if (this.hasUsage || this.isDone) this.#failAtErrorEnd();
    }
    return output === '' ? '' : encodeLatin1(output);
  }

  /** Clients take such an end alone for an ordinary one. What was said before it is charged once its usage has come. */
  #failAtErrorEnd(): void {
    if (this.#finish?.reason !== 'error' || this.fault !== null) return;
    const { native } = this.#finish;
    this.fault = {
      ...{ kind: 'upstream-error', detail: native ?? '-', status: null },
      ...(isProvokedEnd(native) ? { isProvoked: true } : {}),
      ...(this.hasSpoken ? { isEnd: true } : {}),
    };
  }

  #count(part: StreamPart): void {
    const length = writtenLength(part);
    if (length === null) return;
    this.frameCount += 1;
    this.contentBytes += length;
  }
}

/** How much the model has written; null for a part without its words. */
export function writtenLength(part: StreamPart): number | null {
  if ('text' in part) return part.text.length;
  return part.type === 'block' && part.writtenLength > 0 ? part.writtenLength : null;
}
