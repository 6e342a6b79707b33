// A student's address in the one form that is compared, counted and mailed to. An address that mail systems might read
// in two ways is refused; only the normal form is ever used, so a spelling that slips through gains nothing.

import { domainToASCII } from 'node:url';

const EMAIL_LENGTH_MAX = 254;
const LOCAL_PART_LENGTH_MAX = 64;
const DOMAIN_LENGTH_MAX = 253;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/**
 * Letters, digits, hyphens and what counts as a dot between labels. The conversion to ASCII reads a URL's host: it
 * would cut at a slash and decode a percent sign.
 */
const DOMAIN_TEXT = /^[\p{L}\p{N}\p{M}\-.\u3002\uff0e\uff61]+$/u;
/** The last label has a letter, which no IP address has. */
const ASCII_DOMAIN =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

export type Address = Readonly<{
  /** The address that mail goes to, and that is counted together with a key. */
  email: string;
  /** Without the tag after a plus sign, because all tags reach one mailbox. */
  mailbox: string;
  domain: string;
}>;

/** Null for whatever is not an address we accept. */
export function parseAddress(text: string): Address | null {
  const parts = text.trim().split('@');
  const localPart = parts[0]?.toLowerCase() ?? '';
  const domain = parts.length === 2 ? normalizeDomain(parts[1] ?? '') : null;
  if (domain === null || localPart.length > LOCAL_PART_LENGTH_MAX || !LOCAL_PART.test(localPart)) return null;
  const email = `${localPart}@${domain}`;
  if (email.length > EMAIL_LENGTH_MAX) return null;
  const plus = localPart.indexOf('+');
  return { email, domain, mailbox: plus > 0 ? `${localPart.slice(0, plus)}@${domain}` : email };
}

/** Lower case and in ASCII; null when it cannot be the name of a mail domain. */
export function normalizeDomain(text: string): string | null {
  if (text.length > DOMAIN_LENGTH_MAX || !DOMAIN_TEXT.test(text)) return null;
  const ascii = domainToASCII(text);
  return ascii.length <= DOMAIN_LENGTH_MAX && ASCII_DOMAIN.test(ascii) ? ascii : null;
}
