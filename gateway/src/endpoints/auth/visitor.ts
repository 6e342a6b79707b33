// A visitor before they are known: where the request comes from and how often it was tried.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type ClientAddress, networkOf } from '../../modules/identity/client-address.ts';
import { normalizeEmail } from '../../modules/identity/email.ts';
import type { Device } from '../../modules/signin/sessions.ts';
import type { Guess, Throttle } from '../../modules/signin/throttle.ts';

/** Longer than the work for an address with an account, so that the delay does not reveal which addresses have one. */
export const MAIL_ANSWER_MS = 150;

export const sourceOf = ({ request }: Exchange, clientAddress: ClientAddress): string =>
  networkOf(request, clientAddress);

export function deviceOf({ request }: Exchange, clientAddress: ClientAddress): Device {
  return { userAgent: request.headers['user-agent'] ?? null, ip: clientAddress(request) };
}

/** Counts the attempt, or throws 429. */
export async function countGuess(throttle: Throttle, guesses: readonly Guess[]): Promise<void> {
  const waitSeconds = await throttle.take(guesses);
  if (waitSeconds === 0) return;
  throw new ApiError('http_429', `Too many attempts. Try again in ${waitSeconds} seconds.`, {
    retryAfterSeconds: waitSeconds,
  });
}

export function emailField(text: string): string {
  const normalized = normalizeEmail(text);
  if (normalized === null) throw new ApiError('http_400', 'email: not a valid email address.');
  return normalized;
}
