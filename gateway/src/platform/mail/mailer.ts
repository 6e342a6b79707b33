// Mail as the rest of the program sees it. Sending means queueing: a mail server that is away, or a crash, delays a
// mail and fails no request.

import type { Queryable } from '../db/database.ts';

export type Mail = Readonly<{
  /** One plain address, never a list and never with a display name. */
  to: string;
  subject: string;
  text: string;
  html?: string;
}>;

export type Mailer = Readonly<{
  /**
   * Resolves once no crash can lose the mail; rejects only when the database does. In a caller's transaction the mail
   * is sent if the transaction commits, and never otherwise.
   */
  send(mail: Mail, transaction?: Queryable): Promise<void>;
}>;

// The transport that carries a mail out of the gateway.

/** The id is the same when a mail is sent again, so that mail programs can show it once. */
export type OutgoingMail = Mail & Readonly<{ id: string; createdAtMs: number }>;

export type MailTransport = Readonly<{
  /** Throws UndeliverableError when trying again cannot help, and any other error when it may. */
  deliver(mail: OutgoingMail): Promise<void>;
  close(): void;
}>;

export class UndeliverableError extends Error {
  constructor(cause: unknown) {
    super('The mail server refuses this recipient.', { cause });
    this.name = 'UndeliverableError';
  }
}

// A name that a stranger typed, made safe for a mail of ours: one short line in which mail programs find no link. Every
// mail that names an organization or a person uses this.

const NAME_LENGTH_MAX = 80;

export function harmlessName(name: string): string {
  const line = name
    .replace(/[\p{C}\p{Z}"<>()[\]]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/@/g, ' at ')
    .replace(/[\u3002\uff0e\uff61\u2024]/g, '.')
    .replace(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, '. ')
    .replace(/ {2,}/g, ' ')
    .trim();
  const letters = [...line];
  return letters.length <= NAME_LENGTH_MAX ? line : `${letters.slice(0, NAME_LENGTH_MAX).join('')}…`;
}

// Which mailbox an address belongs to. Tags after a plus sign, and at Gmail dots as well, make many addresses of one
// mailbox, so mails are counted by mailbox. The database has the same rule, `mailbox_of`.

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/** Of an address in its normal form. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [localPart, domain] = [address.slice(0, at), address.slice(at + 1)];
  const plus = localPart.indexOf('+');
  const name = plus > 0 ? localPart.slice(0, plus) : localPart;
  return GMAIL.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}
