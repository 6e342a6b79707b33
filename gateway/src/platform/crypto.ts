// The few cryptographic operations that the gateway needs, each with one fixed algorithm. Never use the root secret
// itself: derive one key for each purpose, so that a key that leaks from one use is worthless in another.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_PREFIX = 'sealed:1:';

/** HKDF-SHA256. The purpose is part of the key: `catalog`, `api-keys` and so on, never built from input. */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `tollgate:${purpose}`, KEY_BYTES));
}

/** One key, or several of which one seals and all open: while the secret is replaced, both are in use. */
export type SealingKey = Buffer | Readonly<{ inUse(): Buffer; known: readonly Buffer[] }>;

export const keyInUse = (key: SealingKey): Buffer => (Buffer.isBuffer(key) ? key : key.inUse());

/** AES-256-GCM. The associated data binds the text to its place: it can be opened only there. */
export function seal(key: SealingKey, plaintext: string, associatedData: string): string {
  return SEALED_PREFIX + sealBytes(key, Buffer.from(plaintext, 'utf8'), associatedData).toString('base64url');
}

/** The same for bytes. */
export function sealBytes(key: SealingKey, plain: Buffer, associatedData: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyInUse(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associatedData));
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

const isSealed = (text: string): boolean => text.startsWith(SEALED_PREFIX);

/** Null when the text was altered, moved, or sealed with another key. */
export function open(key: SealingKey, sealed: string, associatedData: string): string | null {
  if (!isSealed(sealed)) return null;
  const bytes = Buffer.from(sealed.slice(SEALED_PREFIX.length), 'base64url');
  return openBytes(key, bytes, associatedData)?.toString('utf8') ?? null;
}

export function openBytes(key: SealingKey, bytes: Buffer, associatedData: string): Buffer | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const inUse = keyInUse(key);
  const opened = openWith(inUse, bytes, associatedData);
  if (opened !== null || Buffer.isBuffer(key)) return opened;
  for (const other of key.known) {
    const found = other === inUse ? null : openWith(other, bytes, associatedData);
    if (found !== null) return found;
  }
  return null;
}

function openWith(key: Buffer, bytes: Buffer, associatedData: string): Buffer | null {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associatedData));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const start = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([start, decipher.final()]);
  } catch {
    // `final` throws only when the tag does not match.
    return null;
  }
}

export function hmacSha256Hex(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

/** Compares digests instead of the texts, so that the time taken reveals neither content nor length. */
export function timingSafeEqualText(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
