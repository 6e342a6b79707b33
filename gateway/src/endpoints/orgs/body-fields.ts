// Fields of bodies about organizations: budgets and addresses.

import { ApiError } from '../../errors/api-error.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import { isPlainAddress } from '../../platform/mail/message.ts';
import { type NanoUsd, parseUsdJson, usdNumber } from '../../platform/money.ts';

/**
 * A number of USD becomes exact, or is refused. A number that would be rounded is refused too, so that no limit becomes
 * zero because it was written too small. Undefined means left out, and null no limit.
 */
export function budgetField(name: string, value: number | null | undefined): NanoUsd | null | undefined {
  if (value === undefined || value === null) return value;
  const amount = parseUsdJson(value);
  if (amount !== null && usdNumber(amount) === value) return amount;
  throw new ApiError('http_400', `${name}: must be an amount in USD with at most nine decimals, up to nine billion.`);
}

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
