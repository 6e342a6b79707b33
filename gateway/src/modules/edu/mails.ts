// The mail that carries a code. The reader may not be the one who asked for it, so it repeats nothing that was typed on
// the form; the organization's name is whatever its founder chose, and is made harmless.

import { harmlessName, type Mail } from '../../platform/mail/mailer.ts';

const SECONDS_PER_MINUTE = 60;

type CodeMail = Readonly<{ to: string; code: string; organizationName: string; ttlSeconds: number }>;

export const codeMail = ({ to, code, organizationName, ttlSeconds }: CodeMail): Mail => ({
  to,
  subject: 'Your Tollgate code',
  text: [
    `Your code: ${code}`,
    `Enter it within ${spanOf(ttlSeconds)}, where you asked for it.\nIt opens a session that this organization pays for:\n${harmlessName(organizationName)}`,
    'If you did not ask for it, do nothing: without the code nobody gets in.\n',
  ].join('\n\n'),
});

function spanOf(seconds: number): string {
  if (seconds < 2 * SECONDS_PER_MINUTE) return `${seconds} seconds`;
  return `${Math.floor(seconds / SECONDS_PER_MINUTE)} minutes`;
}
