// Codes of authenticator apps: RFC 6238 with the parameters that every app supports, SHA-1, six digits and half a
// minute. A code of the half minute before or after is accepted too, because clocks differ; the caller must see that
// none is used twice.

import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
const DRIFT_STEPS = 1;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** RFC 4226. */
export function hotp(secret: Buffer, counter: bigint, digits = DIGITS): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(counter);
  const digest = createHmac('sha1', secret).update(message).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export const stepAt = (nowMs: number): bigint => BigInt(Math.floor(nowMs / STEP_MS));

/** The half minute that a code belongs to; null for a wrong code. */
export function matchingStep(secret: Buffer, code: string, nowMs: number): bigint | null {
  const now = stepAt(nowMs);
  for (let drift = -DRIFT_STEPS; drift <= DRIFT_STEPS; drift += 1) {
    const step = now + BigInt(drift);
    if (step >= 0n && hotp(secret, step) === code) return step;
  }
  return null;
}

/** RFC 4648, without padding, which apps do not want. */
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** The address that an app reads from the QR code. */
export function totpUri(secret: Buffer, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
