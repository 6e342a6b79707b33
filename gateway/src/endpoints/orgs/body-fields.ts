// Addresses in bodies about organizations.

import { ApiError } from '../../errors/api-error.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import { isPlainAddress } from '../../platform/mail/message.ts';

/** An address as it was written, and in its unique form. */
export function emailField(text: string): Readonly<{ email: string; emailNormalized: string }> {
  const email = text.trim();
  const emailNormalized = normalizeEmail(email);
  if (emailNormalized !== null) return { email, emailNormalized };
  throw new ApiError('http_400', 'email: must be an email address.');
}

/** Some valid addresses cannot be put into a mail's head without quoting. */
export function mailableField(text: string): Readonly<{ email: string; emailNormalized: string }> {
  const field = emailField(text);
  if (isPlainAddress(field.email)) return field;
  throw new ApiError('http_400', 'email: mail cannot be sent to this address.');
}
