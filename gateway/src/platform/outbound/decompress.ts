// One layer of decompression, for servers that compress although they are asked not to. Only one layer, because a chain
// of encodings can make a small body expand without bound. The reader bounds the result.

import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Null for an encoding that is not supported. */
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
