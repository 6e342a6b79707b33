// The client's side of an open stream: writes what there is, says when the client reads slower than that, and lets the
// keep-alive ticker break a silence or give up on a client that has stopped reading.

import type { ServerResponse } from 'node:http';
import type { StreamOutput, StreamPipe } from '../dialects/stream-pipe.ts';
import type { KeptStream } from './keep-alive.ts';

export type ClientStreamParts = Readonly<{
  response: ServerResponse;
  pipe: StreamPipe;
  /** No more should be read until `onDrained`. */
  onBlocked(): void;
  onDrained(): void;
}>;

export class ClientStream implements KeptStream {
  readonly #parts: ClientStreamParts;
  hasWritten = true;
  isBlocked = false;
  /** The gateway has given up on a client that reads nothing. */
  isDropped = false;

  constructor(parts: ClientStreamParts) {
    this.#parts = parts;
  }

  write(output: StreamOutput): void {
    if (output.length === 0) return;
    this.hasWritten = true;
    const { response } = this.#parts;
    if (response.write(output, 'latin1') || this.isBlocked) return;
    this.isBlocked = true;
    this.#parts.onBlocked();
    response.once('drain', () => {
      this.isBlocked = false;
      this.#parts.onDrained();
    });
  }

  writeKeepAlive(): void {
    this.write(this.#parts.pipe.keepAliveFrame);
  }

  dropClient(): void {
    this.isDropped = true;
    this.#parts.response.destroy();
  }
}
