// What stands in a picture's address: which picture it is, until when, and where else it may be had, sealed so that
// nobody can read, change or extend it. The picture's digest is inside, so an address never leads to another picture.

import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import { RASTER_TYPES, type RasterType } from '../../platform/raster-image.ts';
import { DIGEST } from './media-store.ts';

export type ImageToken = Readonly<{
  digest: string;
  type: RasterType;
  /** The upstream's own address, for when we have it no more; null where there was none. */
  url: string | null;
  expiresAtMs: number;
}>;

const PURPOSE = 'image-proxy';
const SEALED_PREFIX = 'sealed:1:';
const TOKEN = /^[A-Za-z0-9_-]{40,4096}$/;

export function sealImageToken(key: SealingKey, { digest, type, url, expiresAtMs }: ImageToken): string {
  const fields = [digest, RASTER_TYPES.indexOf(type), expiresAtMs, ...(url === null ? [] : [url])];
  return seal(key, JSON.stringify(fields), PURPOSE).slice(SEALED_PREFIX.length);
}

/** Null for what was not sealed by us, letter for letter, or whose time is over. */
export function openImageToken(key: SealingKey, token: string, nowMs: number): ImageToken | null {
  // Base64 has several spellings for the same bytes; only the one that was given out is taken.
  if (!TOKEN.test(token) || Buffer.from(token, 'base64url').toString('base64url') !== token) return null;
  const text = open(key, SEALED_PREFIX + token, PURPOSE);
  if (text === null) return null;
  const image = readFields(JSON.parse(text));
  return image !== null && nowMs < image.expiresAtMs ? image : null;
}

/** Ours, but perhaps of another version. */
function readFields(fields: unknown): ImageToken | null {
  if (!Array.isArray(fields)) return null;
  const [digest, typeIndex, expiresAtMs, url = null] = fields as readonly unknown[];
  const type = typeof typeIndex === 'number' ? RASTER_TYPES[typeIndex] : undefined;
  if (typeof digest !== 'string' || !DIGEST.test(digest) || type === undefined) return null;
  if (typeof expiresAtMs !== 'number' || (url !== null && typeof url !== 'string')) return null;
  return { digest, type, url, expiresAtMs };
}
