// Mail over SMTP. Connections are kept open for bursts; every wait is bounded, because the job that sends has other
// mails to send.

import { createTransport } from 'nodemailer';
import { type MailTransport, UndeliverableError } from './mailer.ts';
import { composeMessage } from './message.ts';

const CONNECTION_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 3;

export function createSmtpTransport(smtpUrl: string, sender: () => string): MailTransport {
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

/** Other refusals, of the sender or of the sign-in, are mistakes in the configuration that an operator mends. */
function isRefusedRecipient(error: unknown): boolean {
  if (!(error instanceof Error) || !('command' in error) || !('responseCode' in error)) return false;
  return error.command === 'RCPT TO' && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
