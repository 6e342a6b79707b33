// The secrets of institutions: the key that students are given, the code that is mailed, the token that calls models.
// All are stored as keyed hashes; a code has only a million values, so an unkeyed hash would hide nothing. A token ends
// in a tag that only this installation can make, so a made-up token is refused without asking the database.

import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { deriveKey } from '../../platform/crypto.ts';

const KEY_PREFIX = 'sk-edu-';
const TOKEN_PREFIX = 'edu-sess-';
const RANDOM_BYTES = 32;
const TOKEN = /^edu-sess-([\w-]{43})([\w-]{6})$/;
const TAG_LENGTH = 6;
const PREFIX_HINT_LENGTH = KEY_PREFIX.length + 4;
const SUFFIX_HINT_LENGTH = 4;
const CODE_COUNT = 1_000_000;
const CODE_LENGTH = 6;
const STUDENT_ID_LENGTH = 24;

const newRandom = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

export const newInstitutionKey = (): string => KEY_PREFIX + newRandom();

export const newCode = (): string => String(randomInt(CODE_COUNT)).padStart(CODE_LENGTH, '0');

/** The part of the key by which a person recognizes it in a list. */
export function keyHints(key: string): Readonly<{ prefix: string; suffix: string }> {
  return { prefix: key.slice(0, PREFIX_HINT_LENGTH), suffix: key.slice(-SUFFIX_HINT_LENGTH) };
}

export type EduHashes = Readonly<{
  newToken(): string;
  /** True when the text has the form of a token and our tag; whether such a session exists is not checked here. */
  isToken(text: string): boolean;
  key(key: string): Buffer;
  token(token: string): Buffer;
  /** The hash of a key and an address together, whether or not either exists. */
  pair(keyHash: Buffer, email: string): Buffer;
  /** The hash of a code, which is valid for one pair only. */
  code(pair: Buffer, code: string): Buffer;
  /** The name that a mailbox is counted under. */
  mailbox(mailbox: string): string;
  /** The same for every reader of a mailbox; the mailbox cannot be found from it. */
  studentId(orgId: string, mailbox: string): string;
}>;

export function createEduHashes(secret: string): EduHashes {
  const keyPepper = deriveKey(secret, 'edu-keys');
  const tokenPepper = deriveKey(secret, 'edu-sessions');
  const codePepper = deriveKey(secret, 'edu-codes');
  const studentPepper = deriveKey(secret, 'edu-students');
  const hash = (pepper: Buffer, ...parts: readonly (string | Buffer)[]): Buffer => {
    const hmac = createHmac('sha256', pepper);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  // The hashed text begins with its purpose, so that a tag is never part of a token's hash.
  const tagOf = (random: string): string =>
    hash(tokenPepper, 'tag:', random).toString('base64url').slice(0, TAG_LENGTH);
  return {
    newToken() {
      const random = newRandom();
      return TOKEN_PREFIX + random + tagOf(random);
    },
    isToken(text) {
      const [, random, tag] = TOKEN.exec(text) ?? [];
      return random !== undefined && tagOf(random) === tag;
    },
    key: (key) => hash(keyPepper, key),
    token: (token) => hash(tokenPepper, 'token:', token),
    // Hashes have one length, so the parts cannot be divided in another way.
    pair: (keyHash, email) => hash(codePepper, 'pair:', keyHash, email),
    code: (pair, code) => hash(codePepper, 'code:', pair, code),
    mailbox: (mailbox) => hash(codePepper, 'mailbox:', mailbox).toString('base64url'),
    studentId: (orgId, mailbox) =>
      `student-${hash(studentPepper, orgId, ':', mailbox).toString('hex').slice(0, STUDENT_ID_LENGTH)}`,
  };
}
