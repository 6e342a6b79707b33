// A code for credit as people type it: letters and digits that are not mistaken for each other, in groups. Small
// letters, other separators, and O for 0 are accepted.

import { createHmac, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 5;
const GROUP_LENGTH = 5;
const PREFIX = 'TG';

/** 125 random bits. */
export function newCodeText(): string {
  const letters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    letters.slice(index * GROUP_LENGTH, (index + 1) * GROUP_LENGTH),
  );
  return [PREFIX, ...groups].join('-');
}

/** Null for what cannot be a code. */
export function plainCode(text: string): string | null {
  const letters = text
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const body = letters.startsWith(PREFIX) ? letters.slice(PREFIX.length) : letters;
  return body.length === GROUPS * GROUP_LENGTH ? body : null;
}

export const hashCode = (pepper: Buffer, plain: string): Buffer =>
  createHmac('sha256', pepper).update(`code:${plain}`).digest();
