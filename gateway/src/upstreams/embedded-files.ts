// What a file in a request is, by its content. Clients state types that vendors refuse: a picture's by the ending of
// its name, and for a text any of a hundred.

import { isUtf8 } from 'node:buffer';
import type { EmbeddedMedia } from '../canonical/conversation.ts';
import { rasterTypeOf } from '../platform/raster-image.ts';

/** The beginning of a picture's base64, by which it is recognized. */
const HEAD_LENGTH = 400;
/** These are never taken for texts, although some hold only letters. */
const OTHER_TYPE = /^(?:image|audio|video|font)\/|^application\/pdf$/i;

/** As its content says; where that says nothing, as stated. */
export function pictureTypeOf({ mediaType, data }: EmbeddedMedia): string {
  if (!mediaType.startsWith('image/')) return mediaType;
  const stated = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
  return rasterTypeOf(Buffer.from(data.slice(0, HEAD_LENGTH), 'base64')) ?? stated;
}

export const isTextFile = ({ mediaType, data }: EmbeddedMedia): boolean =>
  mediaType.startsWith('text/') || (!OTHER_TYPE.test(mediaType) && isPlainText(Buffer.from(data, 'base64')));

/** Files of other formats have bytes that no text has. */
const isPlainText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);
