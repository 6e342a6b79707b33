// Mail as the rest of the program sees it. Sending means queueing: a mail server that is away, or a crash, delays a
// mail and fails nobody's request.

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
   * goes out if the transaction commits, and otherwise never existed.
   */
  send(mail: Mail, transaction?: Queryable): Promise<void>;
}>;
