// One layer of compression, for answers of servers that compress although they are asked not to. One layer only: a chain
// of encodings is a known way to make a small body expand without bound. Whoever reads the result bounds it.

import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Null when the encoding is one we do not undo. */
export function createDecompressor(encoding: string | string[]): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}
