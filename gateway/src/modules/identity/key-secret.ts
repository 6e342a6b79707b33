// The secret that a caller sends. Its last characters are a tag that only this installation can make, so that a made-up
// key is refused without asking the database: each costs one hash.

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

/** True when the text has the form of a key and our tag; whether such a key exists is not checked here. */
export function isOwnKeySecret(pepper: Buffer, text: string): boolean {
  if (text.length !== SECRET_LENGTH || !text.startsWith(KEY_PREFIX)) return false;
  const tagStart = KEY_PREFIX.length + RANDOM_LENGTH;
  return tagOf(pepper, text.slice(KEY_PREFIX.length, tagStart)) === text.slice(tagStart);
}

/**
 * Everything in a text that has the form of a key, also where one begins within another, because anything may stand
 * around a key.
 */
export const findKeySecrets = (text: string): readonly string[] =>
  [...text.matchAll(FORM)].map(([, secret = '']) => secret);

/** The text without keys, as it may be stored and shown. */
export const withoutKeySecrets = (text: string): string => text.replace(/sk-tg-[\w-]{10,}/g, `${KEY_PREFIX}…`);

/** The hash that is stored. The purpose is part of the hashed text, so that a tag is never a prefix of a hash. */
export function hashKeySecret(pepper: Buffer, secret: string): Buffer {
  return createHmac('sha256', pepper).update(`key:${secret}`).digest();
}

function tagOf(pepper: Buffer, random: string): string {
  return createHmac('sha256', pepper).update(`tag:${random}`).digest('base64url').slice(0, TAG_LENGTH);
}

/** The part of the key by which a person recognizes it in a list. */
export function keyHints(secret: string): Readonly<{ prefix: string; suffix: string }> {
  return { prefix: secret.slice(0, PREFIX_HINT_LENGTH), suffix: secret.slice(-SUFFIX_HINT_LENGTH) };
}
