// A pipe around another, which carries the words: members that a subclass does not override are those of the inner one.
// The subclass decides what counts as content, because it may hold some back.

import type { StreamFault } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { StreamOutput, StreamPipe } from './stream-pipe.ts';

export abstract class PipeAround<Inner extends StreamPipe> implements StreamPipe {
  protected abstract readonly inner: Inner;
  abstract readonly frameCount: number;
  abstract readonly contentBytes: number;
  abstract finale(usage: Usage, costUsd: number): string;

  push(chunk: Buffer): StreamOutput {
    return this.inner.push(chunk);
  }

  end(): StreamOutput {
    return this.inner.end();
  }

  cut(): void {
    this.inner.cut?.();
  }

  failure(error: ApiError): string {
    return this.inner.failure(error);
  }

  get keepAliveFrame(): string {
    return this.inner.keepAliveFrame;
  }

  get isDone(): boolean {
    return this.inner.isDone;
  }

  get hasFinished(): boolean {
    return this.inner.hasFinished;
  }

  get hasSpoken(): boolean {
    return this.inner.hasSpoken;
  }

  get finishReason(): string | null {
    return this.inner.finishReason;
  }

  get usage(): Usage | null {
    return this.inner.usage;
  }

  get hasUsage(): boolean {
    return this.inner.hasUsage;
  }

  get keptBytes(): number {
    return this.inner.keptBytes;
  }

  get fault(): StreamFault | null {
    return this.inner.fault;
  }
}
