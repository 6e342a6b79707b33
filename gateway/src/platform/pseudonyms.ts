// Pseudonyms that are sent to strangers in place of a caller's own values: a keyed hash with the account in it, so that
// two accounts with the same value have different ones, and nobody can guess the value.

import { createHmac } from 'node:crypto';
import { deriveKey } from './crypto.ts';

/** Short enough for every field that takes one. */
const LENGTH = 40;

export function createPseudonyms(secret: string | Buffer): (accountId: string, name: string, value: string) => string {
  const key = deriveKey(secret, 'upstream-pseudonyms');
  return (accountId, name, value) => {
    const text = JSON.stringify([accountId, name, value]);
    return createHmac('sha256', key).update(text).digest('base64url').slice(0, LENGTH);
  };
}
