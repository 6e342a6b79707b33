// Chooses how a mail leaves the gateway: to a mail server, or into a folder as a file where no server is set. Both
// compose the same message, so that what is read in the folder is what a server would have been given.

import { isIP } from 'node:net';
import { createFolderTransport } from './folder-transport.ts';
import type { MailTransport } from './mailer.ts';
import { createSmtpTransport } from './smtp-transport.ts';

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
  // A mailbox at a bare IP address is refused by most servers, and such a site is somebody's own machine.
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  return `Tollgate <no-reply@${isAddress ? 'localhost' : host}>`;
}
