// Where pictures are stored until their addresses expire, by the digest of their bytes, so that the same picture is
// stored once. Losing one is acceptable; nothing here is the only copy of something that must last.

import type { Readable } from 'node:stream';

export type StoredMedia = Readonly<{ byteLength: number }>;

export type OpenMedia = StoredMedia & Readonly<{ body: Readable }>;

export type MediaStore = Readonly<{
  /** Extends the time of a picture that is stored already. */
  put(digest: string, bytes: Buffer): Promise<void>;
  /** Null when it is not there. */
  find(digest: string): Promise<StoredMedia | null>;
  /** The caller must read the stream to its end or destroy it. */
  open(digest: string): Promise<OpenMedia | null>;
  /** Removes pictures that were put before that time; answers how many. */
  sweep(beforeMs: number): Promise<number>;
}>;

export const DIGEST = /^[0-9a-f]{64}$/;
