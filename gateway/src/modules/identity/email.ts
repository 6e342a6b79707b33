// Two spellings of one mailbox must not become two people. Anything unusual that mail systems read differently (quoted
// local parts, comments, address literals) is refused.

import { domainToASCII } from 'node:url';

const EMAIL_LENGTH_MAX = 254;
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** The form under which an address is unique, or null when it is not an address we accept. */
export function normalizeEmail(text: string): string | null {
  const parts = text.trim().split('@');
  const [localPart, domain] = parts;
  if (parts.length !== 2 || localPart === undefined || domain === undefined) return null;
  const asciiDomain = domainToASCII(domain).toLowerCase();
  if (!LOCAL_PART.test(localPart) || !DOMAIN.test(asciiDomain)) return null;
  const normalized = `${localPart.normalize('NFC').toLowerCase()}@${asciiDomain}`;
  return normalized.length > EMAIL_LENGTH_MAX ? null : normalized;
}
