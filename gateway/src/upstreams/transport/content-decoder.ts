// Undoes one layer of compression, piece by piece, for upstreams that compress although we ask them not to.

import { createDecompressor } from '../../platform/outbound/decompress.ts';

type Sink = Readonly<{ onData(chunk: Buffer): void; onEnd(): void; onFail(detail: string): void }>;

type ContentDecoder = Readonly<{ write(chunk: Buffer): void; end(): void; destroy(): void }>;

/** Null for an encoding that is not supported. */
export function createContentDecoder(encoding: string | string[], sink: Sink): ContentDecoder | null {
  const stream = createDecompressor(encoding);
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
