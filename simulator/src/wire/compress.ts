// Content codings, piece by piece: each piece is flushed, so that a compressed stream arrives as it is written.

import { once } from 'node:events';
import { createBrotliCompress, createDeflate, createGzip } from 'node:zlib';

type Pieces = Iterable<Buffer> | AsyncIterable<Buffer>;

const COMPRESSORS = { gzip: createGzip, br: createBrotliCompress, deflate: createDeflate } as const;

/** `isComplete` is false for a body that breaks off, which then also lacks the coding's end. */
export async function* compressPieces(
  pieces: Pieces,
  coding: keyof typeof COMPRESSORS,
  isComplete: boolean,
): AsyncGenerator<Buffer> {
  const compressor = COMPRESSORS[coding]();
  const output: Buffer[] = [];
  compressor.on('data', (bytes: Buffer) => output.push(bytes));
  for await (const piece of pieces) {
    compressor.write(piece);
    await new Promise<void>((resolve) => compressor.flush(resolve));
    if (output.length > 0) yield Buffer.concat(output.splice(0));
  }
  if (!isComplete) {
    compressor.destroy();
    return;
  }
  compressor.end();
  await once(compressor, 'end');
  if (output.length > 0) yield Buffer.concat(output);
}
