// Signature Version 4 of a call to an upstream. Only the headers that the other side checks are signed; those that a
// proxy may change are left out.

import { type SigningKeys, type SigningScope, signV4 as signCall } from '../platform/sign-v4.ts';
import { AuthorizationError, type CallToSign, joined } from './protocol.ts';

export type { SigningKeys, SigningScope } from '../platform/sign-v4.ts';

export async function signV4(
  { method, url, body, nowMs }: CallToSign,
  keys: SigningKeys,
  scope: SigningScope,
): Promise<readonly string[]> {
  if (typeof body !== 'string' && 'open' in body) {
    throw new AuthorizationError('a body that is read while it is sent cannot be signed');
  }
  return signCall({ method, url, body: joined(body), nowMs }, keys, scope);
}
