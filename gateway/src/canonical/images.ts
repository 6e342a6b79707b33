// Pictures from words, and from other pictures. An upstream gives them as addresses or as bytes; before a client sees
// one it has been looked at and kept, so an address of ours is what answers hold.

import type { RequestBase, WithTexts } from './request.ts';
import type { UploadedFile } from './submission.ts';

export type ImagesRequest = RequestBase &
  Readonly<{
    operation: 'images';
    format: 'images';
    withTexts: WithTexts<ImagesRequest>;
    /** How many are wanted. */
    count: number;
    /** As the client wrote it; null leaves it to the model. */
    size: string | null;
    /** What to make them from; none where words are all there is. */
    sources: readonly UploadedFile[];
    /** What the client reads: addresses, the pictures themselves, or events. */
    answerAs: 'urls' | 'bytes' | 'events';
  }>;

/** A picture as an upstream gave it, which may be anything. */
export type MadeImage = Readonly<{ kind: 'url'; url: string }> | Readonly<{ kind: 'bytes'; bytes: Buffer }>;

/** What the client gets to see of a picture. */
export type ShownImage = Readonly<{
  /** Ours; null where the client reads bytes. */
  url: string | null;
  /** Null where the upstream gave bytes. */
  upstreamUrl: string | null;
  /** Null where the client reads addresses. */
  bytes: Buffer | null;
  mediaType: string;
}>;

export type ImagesAnswer = Readonly<{
  made: readonly MadeImage[];
  /** Empty until the dialect has received the answer. */
  shown: readonly ShownImage[];
}>;

/** Looks after pictures that upstreams made. Null for what is no picture, or cannot be had; throws when it fails. */
export type ImageKeeper = Readonly<{
  /** Puts it where anybody can fetch it for a while who has the address. */
  keep(made: MadeImage): Promise<ShownImage | null>;
  /** Only looks at it. */
  load(made: MadeImage): Promise<ShownImage | null>;
}>;

const DATA_URI = /^data:image\/[a-z0-9.+-]{1,32};base64,/i;
const ADDRESS = /^https?:\/\//i;

/** Null for what is neither an address nor a picture written into one. */
export function madeImageOf(url: unknown): MadeImage | null {
  if (typeof url !== 'string') return null;
  const head = DATA_URI.exec(url.slice(0, 64))?.[0];
  if (head !== undefined) return { kind: 'bytes', bytes: Buffer.from(url.slice(head.length), 'base64') };
  return ADDRESS.test(url) ? { kind: 'url', url } : null;
}
