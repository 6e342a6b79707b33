// What carries a mail out of the gateway.

import type { Mail } from './mailer.ts';

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
