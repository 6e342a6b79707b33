// Signature Version 4 of a prepared call. Only what the other side checks is signed: the address, the time, a session's
// token and the body; headers that a proxy may change are left out.

import { AwsV4Signer } from 'aws4fetch';
import { AuthorizationError, type CallToSign } from './protocol.ts';

export type SigningKeys = Readonly<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }>;

export type SigningScope = Readonly<{ region: string; service: string }>;

/** Keys that are derived for a day, by the secret: there is a handful of them. */
const derivedKeys = new Map<string, ArrayBuffer>();
const DERIVED_KEYS_MAX = 100;

export async function signV4(
  { method, url, body, nowMs }: CallToSign,
  { accessKeyId, secretAccessKey, sessionToken }: SigningKeys,
  { region, service }: SigningScope,
): Promise<readonly string[]> {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    throw new AuthorizationError('a body that is read while it is sent cannot be signed');
  }
  if (derivedKeys.size >= DERIVED_KEYS_MAX) derivedKeys.clear();
  const signer = new AwsV4Signer({
    method,
    url,
    body: method === 'GET' ? '' : typeof body === 'string' ? body : new Uint8Array(body),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    region,
    service,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    cache: derivedKeys,
  });
  const { headers } = await signer.sign();
  return [...headers].flat();
}
