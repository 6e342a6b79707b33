// Two spellings of one mailbox must not become two people, nor two mailboxes one person. Forms that mail systems read
// differently (quoted local parts, comments, address literals) are refused, and so are letters that fold into ASCII:
// the Kelvin sign is another mailbox than the k that it would become here.

import { domainToASCII } from 'node:url';

const EMAIL_LENGTH_MAX = 254;
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** The conversion to ASCII reads a URL's host: it would cut at a slash, skip a tab and decode a percent sign. */
const DOMAIN_TEXT = /^[\p{L}\p{N}\p{M}\-.\u3002\uff61]+$/u;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** The form under which an address is unique, or null when it is not an address we accept. */
export function normalizeEmail(text: string): string | null {
  const parts = text.trim().split('@');
  const [localPart, domain] = parts;
  if (parts.length !== 2 || localPart === undefined || domain === undefined) return null;
  if (text.trim().length > EMAIL_LENGTH_MAX || !DOMAIN_TEXT.test(domain)) return null;
  if ([...localPart, ...domain].some(foldsToAscii)) return null;
  const asciiDomain = domainToASCII(domain).toLowerCase();
  if (!LOCAL_PART.test(localPart) || !DOMAIN.test(asciiDomain)) return null;
  const normalized = `${localPart.normalize('NFC').toLowerCase()}@${asciiDomain}`;
  return normalized.length > EMAIL_LENGTH_MAX ? null : normalized;
}

/** A letter outside ASCII that normalizing or lowering turns into one inside it. */
const foldsToAscii = (letter: string): boolean =>
  letter > '\x7f' && /[\x21-\x7e]/.test(letter.normalize('NFKC').toLowerCase());
