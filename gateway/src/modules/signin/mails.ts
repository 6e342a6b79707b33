// The mails of signing in. They repeat nothing that a stranger typed, because the reader may not be the person who
// typed it: nobody may use the form to send own words to others.

import type { Mail } from '../../platform/mail/mailer.ts';

/** Plain lines without encoding, so that a link is readable in the outbox file too. */
const lines = (...paragraphs: readonly string[]): string => `${paragraphs.join('\n\n')}\n`;

/** The part after # never reaches a server, so the token stays out of all logs on the way. */
const link = (siteUrl: string, page: string, token: string): string => `${siteUrl}/console/${page}#token=${token}`;

export const verificationMail = (to: string, siteUrl: string, token: string): Mail => ({
  to,
  subject: 'Confirm your email address for Tollgate',
  text: lines(
    'Somebody, hopefully you, signed up for Tollgate with this address.',
    'To confirm it, open this link within a day:',
    link(siteUrl, 'verify-email', token),
    'If it was not you, do nothing: without the link there is no account.',
  ),
});

export const accountExistsMail = (to: string, siteUrl: string, token: string): Mail => ({
  to,
  subject: 'You already have a Tollgate account',
  text: lines(
    'Somebody, hopefully you, tried to sign up for Tollgate with this\naddress, which has an account already.',
    `Sign in here:\n${siteUrl}/console/sign-in`,
    'Or set a new password with this link, within a day:',
    link(siteUrl, 'reset-password', token),
    'If it was not you, do nothing. Nothing was changed.',
  ),
});

export const resetMail = (to: string, siteUrl: string, token: string): Mail => ({
  to,
  subject: 'Set a new Tollgate password',
  text: lines(
    'Somebody, hopefully you, asked to set a new password for the Tollgate\naccount of this address.',
    'To set one, open this link within a day:',
    link(siteUrl, 'reset-password', token),
    'If it was not you, do nothing: your password stays as it is.',
  ),
});

export const secondFactorMail = (to: string, siteUrl: string, change: 'added' | 'removed'): Mail => ({
  to,
  subject: `A second factor was ${change}`,
  text: lines(
    `A second factor of your Tollgate account was ${change}.`,
    `If it was not you, change your password and look at your settings at\nonce: ${siteUrl}/console/settings`,
  ),
});

export const passwordChangedMail = (to: string, siteUrl: string): Mail => ({
  to,
  subject: 'Your Tollgate password was changed',
  text: lines(
    'The password of your Tollgate account was changed, and other sessions\nwere signed out.',
    `If it was not you, ask for a new password at once:\n${siteUrl}/console/sign-in`,
  ),
});
