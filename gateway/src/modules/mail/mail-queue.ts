// The mail queue of the gateway, in the database. A mail is sent at least once; one whose sending was cut off is sent
// again under the same message id.

import { DAY_MS } from '../../canonical/calendar.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Mail, type Mailer, type MailTransport, UndeliverableError } from '../../platform/mail/mailer.ts';
import { isPlainAddress } from '../../platform/mail/message.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import * as store from './store.ts';

const BATCH_SIZE = 10;
/** Longer than all timeouts of one delivery together. */
const CLAIM_MS = 600_000;
const RETRY_FIRST_MS = 15_000;
const RETRY_LAST_MS = 3_600_000;
/** With the waits above, a mail is given up after some 28 hours. */
const ATTEMPTS_MAX = 36;
const KEPT_MS = 30 * DAY_MS;

export type MailQueue = Mailer &
  Readonly<{
    /** Sends mails that are due and answers how many it had claimed. */
    sendDue(): Promise<number>;
    /** Removes the rows of mails that were sent long ago. */
    forgetOld(): Promise<void>;
    /** Called for every mail that this process queues, so that it goes out soon. */
    onQueued(handler: () => void): void;
  }>;

type MailQueueOptions = Readonly<{
  database: Database;
  transport: MailTransport;
  /** Derived for this purpose alone. */
  sealKey: SealingKey;
  clock: Clock;
  logger: Logger;
}>;

type Content = Readonly<Omit<Mail, 'to'>>;

export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { database, sealKey, clock } = options;
  const handlers: (() => void)[] = [];
  return {
    async send({ to, ...content }, transaction) {
      assert(isPlainAddress(to), 'a mail goes to one plain address, checked where it was typed');
      const id = newId('eml');
      const sealed = seal(sealKey, JSON.stringify(content satisfies Content), id);
      await store.insertMail(transaction ?? database, { id, recipient: to, content: sealed, atMs: clock.nowMs() });
      for (const handler of handlers) handler();
    },
    async sendDue() {
      const nowMs = clock.nowMs();
      const due = await store.claimDue(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit: BATCH_SIZE });
      await Promise.all(due.map((row) => sendOne(row, options)));
      return due.length;
    },
    forgetOld: () => store.forgetEndedBefore(database, clock.nowMs() - KEPT_MS),
    onQueued: (handler) => {
      handlers.push(handler);
    },
  };
}

async function sendOne(row: store.QueuedRow, options: MailQueueOptions): Promise<void> {
  const { database, transport, clock, logger } = options;
  const text = open(options.sealKey, row.content, row.id);
  try {
    if (text === null) throw new UndeliverableError(new Error('the mail was sealed with another secret'));
    const content = JSON.parse(text) as Content;
    await transport.deliver({ ...content, to: row.recipient, id: row.id, createdAtMs: row.created_at.getTime() });
  } catch (error) {
    const isHopeless = error instanceof UndeliverableError || row.attempts >= ATTEMPTS_MAX;
    // The address stays out of the log, as does the server's answer, which may quote it; the id finds both in the
    // table.
    const fields = { mailId: row.id, attempts: row.attempts, reason: reasonOf(error) };
    logger[isHopeless ? 'error' : 'warn'](fields, isHopeless ? 'a mail was given up' : 'a mail could not be sent yet');
    if (isHopeless) await store.endMail(database, { id: row.id, state: 'given_up', atMs: clock.nowMs() });
    else await store.postpone(database, row.id, clock.nowMs() + waitMs(row.attempts));
    return;
  }
  await store.endMail(database, { id: row.id, state: 'sent', atMs: clock.nowMs() });
}

function waitMs(attempts: number): number {
  return Math.min(RETRY_FIRST_MS * 2 ** (attempts - 1), RETRY_LAST_MS);
}

function reasonOf(error: unknown): string {
  if (error instanceof UndeliverableError) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.name;
  return 'responseCode' in error ? `${code} ${String(error.responseCode)}` : code;
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'mail_outbox', key: { id: 'text' }, column: 'content', type: 'text', purposes: ['mail'] },
    boundTo: ({ id = '' }) => id,
  },
];
