// Where pictures lie until nobody may fetch them any more, by the digest of their bytes: the same picture twice is one.
// What is gone is gone; nothing here is the only copy of anything that has to last.

import type { Readable } from 'node:stream';

export type StoredMedia = Readonly<{ byteLength: number }>;

export type OpenMedia = StoredMedia & Readonly<{ body: Readable }>;

export type MediaStore = Readonly<{
  /** Keeps it for another while where it is known already. */
  put(digest: string, bytes: Buffer): Promise<void>;
  /** Null when it is not there. */
  find(digest: string): Promise<StoredMedia | null>;
  /** Whoever opens it reads it to its end, or destroys it. */
  open(digest: string): Promise<OpenMedia | null>;
  /** Forgets what was put before that time; answers how many. */
  sweep(beforeMs: number): Promise<number>;
}>;

export const DIGEST = /^[0-9a-f]{64}$/;
