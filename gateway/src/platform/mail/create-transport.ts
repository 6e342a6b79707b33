// Chooses how a mail leaves the gateway: to a mail server, or into a folder as a file where no server is set. Both
// compose the same message, so that the file is what a server would have got.

import { mkdir, open, rename } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { type MailTransport, UndeliverableError } from './mailer.ts';
import { composeMessage } from './message.ts';

type MailTransportOptions = Readonly<{
  smtpUrl: string | null;
  outboxFolder: string;
  /** Null: `no-reply@` the site's own host. */
  from: string | null;
  siteUrl(): string;
}>;

export function createMailTransport({ smtpUrl, outboxFolder, from, siteUrl }: MailTransportOptions): MailTransport {
  const sender = (): string => from ?? defaultSender(siteUrl());
  return smtpUrl === null ? createFolderTransport(outboxFolder, sender) : createSmtpTransport(smtpUrl, sender);
}

function defaultSender(siteUrl: string): string {
  const host = new URL(siteUrl).hostname;
  // Most servers refuse a mailbox at an IP address, and such a site is a private machine.
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  return `Tollgate <no-reply@${isAddress ? 'localhost' : host}>`;
}

// Mail as `.eml` files, for machines without a mail server. A file appears complete or not at all, and only its owner
// may read it, because a mail can reset a password.

function createFolderTransport(folder: string, sender: () => string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    async deliver(mail) {
      const { message } = await composer.sendMail(composeMessage(mail, sender()));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Names sort by time, so that the newest mail is the last one listed.
      const name = `${new Date(mail.createdAtMs).toISOString().replaceAll(':', '-')}-${mail.id}.eml`;
      await writeWhole(folder, name, message as Buffer);
    },
    close: () => composer.close(),
  };
}

async function writeWhole(folder: string, name: string, content: Buffer): Promise<void> {
  const temporaryPath = join(folder, `.${name}.${process.pid}`);
  const file = await open(temporaryPath, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, join(folder, name));
}

// Mail over SMTP. Connections are kept open for bursts; every wait is bounded, because the sending job has other mails
// to send.

const CONNECTION_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 3;

function createSmtpTransport(smtpUrl: string, sender: () => string): MailTransport {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
  return {
    async deliver(mail) {
      try {
        await transport.sendMail(composeMessage(mail, sender()));
      } catch (error) {
        throw isRefusedRecipient(error) ? new UndeliverableError(error) : error;
      }
    },
    close: () => transport.close(),
  };
}

/** Other refusals, of the sender or of the login, are mistakes in the configuration, which an operator corrects. */
function isRefusedRecipient(error: unknown): boolean {
  if (!(error instanceof Error) || !('command' in error) || !('responseCode' in error)) return false;
  return error.command === 'RCPT TO' && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
