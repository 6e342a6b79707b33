// An authenticator app: it reads the secret as people type it, and shows the code of a moment.

import { hotp, stepAt } from '../../src/modules/signin/factors/totp.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export const codeOf = (secret: string, nowMs: number): string => hotp(bytesOf(secret), stepAt(nowMs));
