// The one place where a browser gets a session. Every sign-in opens a new one and ends the browser's old one.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Proof, SESSION_AGE_MAX_MS } from '../../modules/signin/sessions.ts';
import type { AuthServices } from './auth-services.ts';
import { readCookie, setCookie } from './cookies.ts';
import { deviceOf } from './visitor.ts';

/** Also for a password that has been changed since it was compared. */
export const wrongPassword = (): ApiError =>
  new ApiError('http_401', 'The email address or the password is wrong. Try again, or ask for a new password.');

/** Answers the header that sets the cookie. */
export async function openSession(
  exchange: Exchange,
  { database, openSessions, siteUrl, clientAddress }: AuthServices,
  userId: string,
  proof: Proof,
): Promise<readonly [string, string]> {
  const before = readCookie(exchange.request, siteUrl(), 'tollgate_session');
  const replaced = before === null ? null : await openSessions.find(before);
  if (replaced !== null) await openSessions.end(replaced.userId, replaced.sessionId);
  const value = await openSessions.open(database, userId, deviceOf(exchange, clientAddress), proof);
  if (value === null) throw wrongPassword();
  return setCookie(siteUrl(), { name: 'tollgate_session', value, ageMaxMs: SESSION_AGE_MAX_MS });
}
