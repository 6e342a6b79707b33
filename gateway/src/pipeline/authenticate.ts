// Finds out who is calling. Everything that can be wrong with a key gives the same 401, so that guessing teaches
// nothing; only the holder of a valid key that may not do this learns why (403).

import type { Caller } from '../canonical/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { type ClientAddress, isAllowedAddress } from '../modules/identity/client-address.ts';
import type { Identity } from '../modules/identity/identity.ts';
import { timingSafeEqualText } from '../platform/crypto.ts';

export type AuthenticationServices = Readonly<{
  identity: Pick<Identity, 'findCaller'>;
  clientAddress: ClientAddress;
}>;

const INSTITUTION_KEY_PREFIX = 'sk-edu-';
const BEARER_LENGTH = 'Bearer '.length;

/** Reads from the exchange what the route demands. Needs no I/O for a key that has been seen. */
export function authenticate(exchange: Exchange, services: AuthenticationServices): Caller | Promise<Caller> {
  if (exchange.caller !== undefined) return exchange.caller;
  const token = tokenOf(exchange);
  if (token === null) throw unauthorized();
  if (token.startsWith(INSTITUTION_KEY_PREFIX)) {
    throw new ApiError('http_403', 'Institution keys cannot be used directly: exchange the key for a session first.');
  }
  const found = services.identity.findCaller(token, exchange.request.tokenDigest);
  if (found instanceof Promise) return found.then((caller) => checkCaller(exchange, caller, services));
  return checkCaller(exchange, found, services);
}

/** The bearer token of the request, whatever kind it is; empty without one. */
export const bearerOf = ({ request }: Exchange): string => bearerToken(request.headers.authorization) ?? '';

export const hasBearerToken = ({ request }: Exchange): boolean => bearerToken(request.headers.authorization) !== null;

/** Operator routes have no callers; they accept the operator's token only. */
export function isOperator({ request }: Exchange, operatorToken: string): boolean {
  const token = bearerToken(request.headers.authorization);
  return token !== null && timingSafeEqualText(token, operatorToken);
}

/** One text for whatever is wrong with a key: who guesses learns nothing from it. */
const NO_KEY = 'Missing or invalid credentials. Send a valid key as "Authorization: Bearer <key>".';

export function unauthorized(words = NO_KEY): ApiError {
  return new ApiError('http_401', words, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

function checkCaller(exchange: Exchange, caller: Caller | null, services: AuthenticationServices): Caller {
  if (caller === null) throw unauthorized();
  if (caller.allowedCidrs.length > 0) {
    const address = services.clientAddress(exchange.request);
    if (!isAllowedAddress(caller.allowedCidrs, address)) throw unauthorized();
  }
  if (caller.isSuspended)
    throw new ApiError('http_403', 'This account is suspended. Ask the operator of this gateway.');
  const { access, isForStudents } = exchange.route;
  if (caller.student !== undefined && access !== 'public' && isForStudents !== true) {
    throw new ApiError('http_403', 'A session of an institution opens chat completions and embeddings only.');
  }
  if (access === 'model' && caller.keyType !== 'standard') {
    throw new ApiError('http_403', 'Management keys cannot call models: use a standard key.');
  }
  if ((access === 'management' || access === 'manager') && caller.keyType !== 'management') {
    throw new ApiError('http_403', 'This route needs a management key. Make one in the console under Keys.');
  }
  return caller;
}

function tokenOf(exchange: Exchange): string | null {
  const { headers } = exchange.request;
  if (headers.authorization !== undefined) return bearerToken(headers.authorization);
  // Clients of the Messages dialect send the key in a header of its own.
  const apiKey = exchange.route.errors === 'messages' ? headers['x-api-key'] : undefined;
  return typeof apiKey === 'string' && apiKey !== '' ? apiKey : null;
}

/** The name of the scheme is case-insensitive. A token with spaces in it is not a token. */
function bearerToken(header: string | undefined): string | null {
  if (header === undefined || header.length <= BEARER_LENGTH) return null;
  if (!header.startsWith('Bearer ') && header.slice(0, BEARER_LENGTH).toLowerCase() !== 'bearer ') return null;
  const token = header.slice(BEARER_LENGTH).trim();
  return token === '' || token.includes(' ') ? null : token;
}
