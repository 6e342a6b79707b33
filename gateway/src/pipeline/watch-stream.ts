// Watches an open stream on its way to the relay, to learn how it ends. The relay does not notice; a stream that the
// client or the relay gives up is never reported, because it says nothing about the provider.

import { failureOfStreamFault } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { OpenStream, StreamSink } from './attempt-stream.ts';

/** `onOver` is called at most once: with null when all of it came. */
export function watchStream(stream: OpenStream, onOver: (failure: UpstreamFailure | null) => void): OpenStream {
  const watch = new StreamWatch(stream, onOver);
  watch.look();
  return { ...stream, attach: (sink) => stream.attach(watch.over(sink)) };
}

class StreamWatch {
  readonly #stream: OpenStream;
  readonly #onOver: (failure: UpstreamFailure | null) => void;
  #isOver = false;

  constructor(stream: OpenStream, onOver: (failure: UpstreamFailure | null) => void) {
    this.#stream = stream;
    this.#onOver = onOver;
  }

  over(sink: StreamSink): StreamSink {
    return {
      onOutput: (output) => {
        sink.onOutput(output);
        this.look();
      },
      onEnd: () => {
        sink.onEnd();
        this.#end({ kind: 'malformed', detail: 'the stream ended before its usage record' });
      },
      onFail: (failure) => {
        sink.onFail(failure);
        this.#end(failure);
      },
    };
  }

  look(): void {
    const { isDone, fault } = this.#stream.pipe;
    if (fault !== null) this.#report(failureOfStreamFault(fault));
    else if (isDone) this.#report(null);
  }

  /** What was finished and counted is complete, however the connection ended. */
  #end(failure: UpstreamFailure): void {
    const { hasUsage, hasFinished } = this.#stream.pipe;
    this.#report(hasUsage && hasFinished ? null : failure);
  }

  #report(failure: UpstreamFailure | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver(failure);
  }
}
