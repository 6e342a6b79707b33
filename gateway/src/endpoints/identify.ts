// Who is managing: the holder of a key, or a person with a session. A request with a key is judged by the key alone;
// the cookie counts only where no key is sent, so that a script with an invalid key cannot use the session of its page.

import type { Caller, Principal } from '../canonical/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { type AuthenticationServices, authenticate, unauthorized } from '../pipeline/authenticate.ts';

/** The parts of a signed-in person that this file needs. */
type SignedIn = Readonly<{
  sessionId: string;
  userId: string;
  isSuspended: boolean;
  hasSecondFactor: boolean;
  signOnOrgId: string | null;
}>;

export type SessionServices = Readonly<{
  sessions: Readonly<{
    /** Null without a valid session. Throws 403 for a change that another site may have sent. */
    find(exchange: Exchange): Promise<SignedIn | null>;
  }>;
}>;

export async function identify(
  exchange: Exchange,
  services: AuthenticationServices & SessionServices,
): Promise<Principal> {
  const isKeyAccepted = exchange.route.access !== 'session';
  if (isKeyAccepted && exchange.request.headers.authorization !== undefined) {
    return principalOf(await authenticate(exchange, services));
  }
  const person = await services.sessions.find(exchange);
  if (person === null) throw unauthorized();
  if (person.isSuspended)
    throw new ApiError('http_403', 'This account is suspended. Ask the operator of this gateway.');
  const { userId, hasSecondFactor, signOnOrgId } = person;
  return { userId, accountId: userId, credential: 'session', hasSecondFactor, signOnOrgId, caller: null };
}

/** The holder of a key. Whether a second factor was needed was decided when the key was made. */
export function principalOf(caller: Caller): Principal {
  const { userId, accountId } = caller;
  return { userId, accountId, credential: 'key', hasSecondFactor: true, signOnOrgId: null, caller };
}
