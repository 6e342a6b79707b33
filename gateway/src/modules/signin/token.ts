// Secrets that are given out once and stored as hashes. They are random enough that a fast keyed hash suffices, because
// they cannot be guessed.

import { createHmac, randomBytes } from 'node:crypto';

const SESSION_BYTES = 32;
/** Shorter, so that the link in a mail fits on a line; still far too long to guess. */
const MAIL_BYTES = 16;

export const newSessionToken = (): string => randomBytes(SESSION_BYTES).toString('base64url');

export const newMailToken = (): string => randomBytes(MAIL_BYTES).toString('base64url');

/** The purpose is part of the hash, so that a token of one kind is never accepted as another. */
export function hashToken(
  pepper: Buffer,
  purpose: 'session' | 'sign-up' | 'reset' | 'application' | 'step' | 'recovery',
  token: string,
): Buffer {
  return createHmac('sha256', pepper).update(`${purpose}:${token}`).digest();
}
