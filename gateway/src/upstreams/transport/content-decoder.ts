// Undoes one layer of compression from upstreams that compress although we ask them not to. One layer only: a chain
// of encodings is a known way to make a small body expand without bound.

import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

type Sink = Readonly<{ onData(chunk: Buffer): void; onEnd(): void; onFail(detail: string): void }>;

export type ContentDecoder = Readonly<{ write(chunk: Buffer): void; end(): void; destroy(): void }>;

/** Null when the encoding is one we do not undo. */
export function createContentDecoder(encoding: string | string[], sink: Sink): ContentDecoder | null {
  const stream =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : null;
  if (stream === null) return null;
  stream.on('data', (chunk: Buffer) => sink.onData(chunk));
  stream.on('end', () => sink.onEnd());
  stream.on('error', (error) => sink.onFail(error.message));
  return {
    write: (chunk) => {
      stream.write(chunk);
    },
    end: () => {
      stream.end();
    },
    destroy: () => {
      stream.destroy();
    },
  };
}
