// The one place where a browser is given a session. Every sign-in makes a new one and ends the one it had.

import type { Exchange } from '../../http/exchange.ts';
import { type Proof, SESSION_AGE_MAX_MS } from '../../modules/signin/sessions.ts';
import type { AuthServices } from './auth-services.ts';
import { readCookie, setCookie } from './cookies.ts';
import { deviceOf } from './visitor.ts';

/** The header that carries it. */
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
  return setCookie(siteUrl(), { name: 'tollgate_session', value, ageMaxMs: SESSION_AGE_MAX_MS });
}
