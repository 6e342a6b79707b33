// The chunks of a stream that finish something: they wait until the call has been paid, and the last of them is given
// the usage. An upstream that finishes again and again must not fill the memory.

import type { JsonObject } from '../../canonical/json.ts';
import { chunkFrame } from './frames.ts';

export const HELD_BYTES_MAX = 8 * 1024 * 1024;
/** What a parsed chunk takes in memory besides its text. */
const CHUNK_BYTES = 1024;

export class HeldChunks {
  readonly #chunks: JsonObject[] = [];
  bytes = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Counted as it would be written: pictures have been taken out of it. */
  add(chunk: JsonObject): void {
    this.#chunks.push(chunk);
    this.bytes += CHUNK_BYTES + chunkFrame(chunk).length;
  }

  with(last: JsonObject | null): readonly JsonObject[] {
    return last === null ? this.#chunks : [...this.#chunks, last];
  }
}

export function writeChunks(chunks: readonly JsonObject[], usage: JsonObject): string {
  let output = '';
  for (const [index, chunk] of chunks.entries()) {
    if (index === chunks.length - 1) chunk.usage = usage;
    output += chunkFrame(chunk);
  }
  return output;
}
