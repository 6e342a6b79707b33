// Pictures from words, and from other pictures. An upstream gives them as addresses or as bytes; each is checked and
// stored before a client sees it, so answers contain addresses of ours.

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
    /** The pictures to start from; empty where there are only words. */
    sources: readonly UploadedFile[];
    /** What the client reads: addresses, the pictures themselves, or events. */
    answerAs: 'urls' | 'bytes' | 'events';
  }>;

/** A picture as an upstream gave it, unchecked. */
export type MadeImage = Readonly<{ kind: 'url'; url: string }> | Readonly<{ kind: 'bytes'; bytes: Buffer }>;

/** What a client gets of a picture. */
export type ShownImage = Readonly<{
  /** Our address; null where the client reads bytes. */
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

/** Stores pictures that upstreams made. Null for what is not a picture or cannot be fetched; throws when it fails. */
export type ImageKeeper = Readonly<{
  /** Stores it for a while, where anybody with the address can fetch it. It takes of the room that its owner has. */
  keep(made: MadeImage, owner: string): Promise<ShownImage | null>;
  /** Only checks it. */
  load(made: MadeImage): Promise<ShownImage | null>;
}>;

const DATA_URI = /^data:image\/[a-z0-9.+-]{1,32};base64,/i;
const ADDRESS = /^https?:\/\//i;

/** Null for text that is neither an address nor a picture as a data URI. */
export function madeImageOf(url: unknown): MadeImage | null {
  if (typeof url !== 'string') return null;
  const head = DATA_URI.exec(url.slice(0, 64))?.[0];
  if (head !== undefined) return { kind: 'bytes', bytes: Buffer.from(url.slice(head.length), 'base64') };
  return ADDRESS.test(url) ? { kind: 'url', url } : null;
}
