// An address in a body: one that we accept and can send a mail to, in the form under which it is unique.

import { ApiError } from '../../errors/api-error.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import { isPlainAddress } from '../../platform/mail/message.ts';

export function emailField(text: string): Readonly<{ email: string; emailNormalized: string }> {
  const email = text.trim();
  const emailNormalized = normalizeEmail(email);
  if (emailNormalized !== null) return { email, emailNormalized };
  throw new ApiError('http_400', 'email: must be an email address.');
}

/** Some addresses are valid and still cannot stand in a mail's head without quoting. */
export function mailableField(text: string): Readonly<{ email: string; emailNormalized: string }> {
  const field = emailField(text);
  if (isPlainAddress(field.email)) return field;
  throw new ApiError('http_400', 'email: this address cannot be sent a mail.');
}
