// The mail with an invitation. The names of the organization and the sender were typed by strangers, so they are made
// harmless: nobody can use the mail to send other links.

import { harmlessName, type Mail } from '../../platform/mail/mailer.ts';

type InvitationLetter = Readonly<{
  to: string;
  orgName: string;
  inviterName: string | null;
  link: string;
  validDays: number;
}>;

export function invitationMail({ to, orgName, inviterName, link, validDays }: InvitationLetter): Mail {
  const organization = harmlessName(orgName);
  const inviter = inviterName === null ? 'Someone' : harmlessName(inviterName);
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
