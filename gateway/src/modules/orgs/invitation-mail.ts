// The mail that carries an invitation. The organization's and the sender's names were typed by strangers: they are cut
// short and quoted, and an address among their words is taken apart, so that the mail cannot be used to send other links.

import type { Mail } from '../../platform/mail/mailer.ts';

const NAME_LENGTH_MAX = 80;

export type InvitationLetter = Readonly<{
  to: string;
  orgName: string;
  inviterName: string | null;
  link: string;
  validDays: number;
}>;

export function invitationMail({ to, orgName, inviterName, link, validDays }: InvitationLetter): Mail {
  const organization = harmless(orgName);
  const inviter = inviterName === null ? 'Someone' : harmless(inviterName);
  return {
    to,
    subject: `Invitation to join "${organization}"`,
    text: [
      `${inviter} invites you to join the organization`,
      `"${organization}".`,
      '',
      'To accept, open this link and sign in, or sign up, with this address:',
      '',
      link,
      '',
      `The link works once and for ${validDays} days.`,
      'If you did not expect it, do nothing.',
      '',
    ].join('\n'),
  };
}

/** One short line in which mail programs find nothing to click on. */
function harmless(name: string): string {
  const line = name
    .replace(/[\p{C}\p{Z}"]+/gu, ' ')
    .replace(/:\/\//g, ' ')
    .replace(/(?<=\p{L})\.(?=\p{L})/gu, '. ')
    .trim();
  const letters = [...line];
  return letters.length <= NAME_LENGTH_MAX ? line : `${letters.slice(0, NAME_LENGTH_MAX).join('')}…`;
}
