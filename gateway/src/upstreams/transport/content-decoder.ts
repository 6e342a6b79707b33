// Undoes one layer of compression, piece by piece, for upstreams that compress although we ask them not to.

import { createDecompressor } from '../../platform/outbound/decompress.ts';

type Sink = Readonly<{
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFail(detail: string): void;
  /** After a `write` that has answered false. */
  onDrained(): void;
}>;

type ContentDecoder = Readonly<{
  /** False where much waits to be decoded. */
  write(chunk: Buffer): boolean;
  end(): void;
  /** A few bytes can become megabytes, so what has been read already must stop, too. */
  pause(): void;
  resume(): void;
  destroy(): void;
}>;

/** Of what has come and is not decoded; usually it is decoded faster than it comes. */
const WAITING_BYTES_MAX = 262_144;

/** Null for an encoding that is not supported. */
export function createContentDecoder(encoding: string | string[], sink: Sink): ContentDecoder | null {
  const stream = createDecompressor(encoding);
  if (stream === null) return null;
  stream.on('data', (chunk: Buffer) => sink.onData(chunk));
  stream.on('end', () => sink.onEnd());
  stream.on('error', (error) => sink.onFail(error.message));
  stream.on('drain', () => sink.onDrained());
  return {
    write: (chunk) => stream.write(chunk) || stream.writableLength <= WAITING_BYTES_MAX,
    end: () => {
      stream.end();
    },
    pause: () => {
      stream.pause();
    },
    resume: () => {
      stream.resume();
    },
    destroy: () => {
      stream.destroy();
    },
  };
}
