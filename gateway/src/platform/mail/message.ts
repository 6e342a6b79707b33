// A mail for the composing library. Names of people and organizations come from strangers, so a header can contain
// neither a line break nor a second recipient, and no field can make the library open a file or an address.

import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMail } from './mailer.ts';

const SUBJECT_LENGTH_MAX = 200;

/** One address without anything that mail programs read as a list, a name, a comment or a group. */
const PLAIN_ADDRESS = /^[^\s@,;:<>"()[\]\\\p{C}]+@[^\s@,;:<>"()[\]\\\p{C}]+$/u;

export const isPlainAddress = (text: string): boolean => text.length <= 254 && PLAIN_ADDRESS.test(text);

export function composeMessage(mail: OutgoingMail, from: string): SendMailOptions {
  return {
    from,
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject),
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    messageId: `<${mail.id}@${domainOf(from)}>`,
    date: new Date(mail.createdAtMs),
    // Automatic replies to a sign-in mail help nobody.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, SUBJECT_LENGTH_MAX);
}

function domainOf(from: string): string {
  return /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost';
}
