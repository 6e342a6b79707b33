// What the lines of batches ask and answer, sealed to their place: what stands in one line cannot be read as another's.

import { deriveKey, openBytes, sealBytes } from '../../platform/crypto.ts';

export type LinePlace = Readonly<{ batchId: string; lineNo: number }>;

export type LineSeal = Readonly<{
  seal(content: Buffer, place: LinePlace): Buffer;
  /** Null where it was sealed with another secret. */
  open(sealed: Buffer, place: LinePlace): Buffer | null;
}>;

export function createLineSeal(secretKey: Buffer): LineSeal {
  const key = deriveKey(secretKey, 'batches.content');
  return {
    seal: (content, place) => sealBytes(key, content, nameOf(place)),
    open: (sealed, place) => openBytes(key, sealed, nameOf(place)),
  };
}

const nameOf = ({ batchId, lineNo }: LinePlace): string => `batch:${batchId}:${lineNo}`;
