// The secret that a caller sends. Its last characters are a tag only this installation can make, so that a made-up key
// is refused without asking the database: a flood of them costs a hash each.

import { createHmac, randomBytes } from 'node:crypto';

const KEY_PREFIX = 'sk-tg-';
const RANDOM_BYTES = 32;
const RANDOM_LENGTH = 43;
const TAG_LENGTH = 6;
const SECRET_LENGTH = KEY_PREFIX.length + RANDOM_LENGTH + TAG_LENGTH;
const FORM = new RegExp(`(?=(${KEY_PREFIX}[\\w-]{${RANDOM_LENGTH + TAG_LENGTH}}))`, 'g');
const PREFIX_HINT_LENGTH = KEY_PREFIX.length + 4;
const SUFFIX_HINT_LENGTH = 4;

export function newKeySecret(pepper: Buffer): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url');
  return `${KEY_PREFIX}${random}${tagOf(pepper, random)}`;
}

/** True when the text has the form of a key and the tag is ours; whether such a key exists is another question. */
export function isOwnKeySecret(pepper: Buffer, text: string): boolean {
  if (text.length !== SECRET_LENGTH || !text.startsWith(KEY_PREFIX)) return false;
  const tagStart = KEY_PREFIX.length + RANDOM_LENGTH;
  return tagOf(pepper, text.slice(KEY_PREFIX.length, tagStart)) === text.slice(tagStart);
}

/** Whatever has the form of a key in a text. One that begins within another is found too: what is around it is anybody's. */
export const findKeySecrets = (text: string): readonly string[] =>
  [...text.matchAll(FORM)].map(([, secret = '']) => secret);

/** The text as it may be kept and shown. */
export const withoutKeySecrets = (text: string): string => text.replace(/sk-tg-[\w-]{10,}/g, `${KEY_PREFIX}…`);

/** What is stored. The purpose is part of the hashed text, so that a tag is never a prefix of a hash. */
export function hashKeySecret(pepper: Buffer, secret: string): Buffer {
  return createHmac('sha256', pepper).update(`key:${secret}`).digest();
}

function tagOf(pepper: Buffer, random: string): string {
  return createHmac('sha256', pepper).update(`tag:${random}`).digest('base64url').slice(0, TAG_LENGTH);
}

/** What a person recognizes the key by in a list. */
export function keyHints(secret: string): Readonly<{ prefix: string; suffix: string }> {
  return { prefix: secret.slice(0, PREFIX_HINT_LENGTH), suffix: secret.slice(-SUFFIX_HINT_LENGTH) };
}
