// Signs a call before it is sent, with a token where the protocol needs one. Most signatures are ready at once, and
// then the call is sent at once.

import { AuthorizationError, type CallToSign } from '../protocol.ts';
import type { CallAuthorization, TokenAnswer, Tokens } from './authorization.ts';
import { type Transport, type TransportCall, type TransportFailure, WholeReceiver } from './receiver.ts';
import { UnsendableCall } from './wire-call.ts';

/** The part of a call's flight that signing uses. */
type SignedFlight = { token: string };

type Signing = Readonly<{
  flight: SignedFlight;
  /** A token that the upstream refused. */
  refused: string | null;
  call: TransportCall;
  authorization: CallAuthorization;
}>;

export function signatureOf(
  { flight, refused, call, authorization }: Signing,
  tokens: Tokens,
  nowMs: number,
): readonly string[] | Promise<readonly string[]> {
  const { grant, sign } = authorization;
  if (grant === null) return sign(callToSign(call, nowMs), '');
  const signWith = (token: string): readonly string[] | Promise<readonly string[]> => {
    flight.token = token;
    return sign(callToSign(call, nowMs), token);
  };
  if (refused !== null) tokens.drop(grant, refused);
  const token = tokens.atHand(grant);
  return token === null ? tokens.obtain(grant).then(signWith) : signWith(token);
}

/** Only our own error messages are repeated, because others may contain what was to be signed. */
export function signingFailure(error: unknown): Omit<TransportFailure, 'isUnsent'> {
  if (error instanceof AuthorizationError) return { kind: 'unauthorized', detail: error.message };
  if (error instanceof TokenTripError) return error.failure;
  if (error instanceof UnsendableCall) return { kind: 'unreachable', detail: error.message };
  return { kind: 'unauthorized', detail: 'the call could not be signed' };
}

function callToSign({ baseUrl, path, method, headers, body }: TransportCall, nowMs: number): CallToSign {
  return { method: method ?? 'POST', url: baseUrl + path, headers, body, nowMs };
}

const TOKEN_TIMEOUTS = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 };
const TOKEN_BYTES_MAX = 65_536;

class TokenTripError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure) {
    super('the token could not be fetched');
    this.failure = failure;
  }
}

/** Posts to an address of the operator's, over the same connections as everything else. */
export function postForm(transport: Pick<Transport, 'send'>, url: string, form: string): Promise<TokenAnswer> {
  return new Promise((resolve, reject) => {
    const receiver = new WholeReceiver(
      (status, _headers, body) => resolve({ status, body }),
      (failure) => reject(new TokenTripError(failure)),
    );
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
    const limits = { timeouts: TOKEN_TIMEOUTS, responseBytesMax: TOKEN_BYTES_MAX };
    const { origin, pathname, search } = new URL(url);
    transport.send({ baseUrl: origin, path: pathname + search, headers, body: form, ...limits }, receiver);
  });
}
