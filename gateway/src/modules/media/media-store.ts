// Where pictures are stored until their addresses expire. A name is the digest of a picture's bytes and a mark of whose
// it is: the same picture of one owner is stored once. Losing one is acceptable; nothing here is the only copy of
// something that must last.

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export type StoredMedia = Readonly<{ byteLength: number }>;

export type OpenMedia = StoredMedia & Readonly<{ body: Readable }>;

export type MediaStore = Readonly<{
  /** Extends the time of a picture that is stored already. */
  put(name: string, bytes: Buffer): Promise<void>;
  /** Null when it is not there. */
  find(name: string): Promise<StoredMedia | null>;
  /** The caller must read the stream to its end or destroy it. */
  open(name: string): Promise<OpenMedia | null>;
  /** Removes pictures that were put before that time; answers how many. */
  sweep(beforeMs: number): Promise<number>;
}>;

const DIGEST_LENGTH = 64;
const MARK_LENGTH = 16;
/** Names of earlier versions have no mark. */
const NAME = /^[0-9a-f]{64}(?:[0-9a-f]{16})?$/;

export const isMediaName = (text: string): boolean => NAME.test(text);

export const mediaNameOf = (bytes: Buffer, owner: string): string => hexOf(bytes) + hexOf(owner).slice(0, MARK_LENGTH);

/** Of the picture's bytes. */
export const digestIn = (name: string): string => name.slice(0, DIGEST_LENGTH);

/** The same for all pictures of an owner. */
export const ownerMarkIn = (name: string): string => name.slice(DIGEST_LENGTH);

export const isNameOf = (name: string, bytes: Buffer): boolean => digestIn(name) === hexOf(bytes);

function hexOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
