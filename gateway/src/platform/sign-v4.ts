// Signature Version 4 of a prepared call, for those of Amazon's services and of others that ask for it. What is signed is
// the address, the time, a session's token, the body, and such headers as are given here.

import { AwsV4Signer } from 'aws4fetch';

type SignableCall = Readonly<{
  method: string;
  url: string;
  body: string | Buffer;
  /** Signed along, and among those that are answered. */
  headers?: Readonly<Record<string, string>>;
  nowMs: number;
}>;

export type SigningKeys = Readonly<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }>;

export type SigningScope = Readonly<{ region: string; service: string }>;

/** Keys that are derived for a day, by the secret: there is a handful of them. */
const derivedKeys = new Map<string, ArrayBuffer>();
const DERIVED_KEYS_MAX = 100;

/** Names and values in turn: what is to be sent besides the call's other headers. */
export async function signV4(
  { method, url, body, headers, nowMs }: SignableCall,
  { accessKeyId, secretAccessKey, sessionToken }: SigningKeys,
  { region, service }: SigningScope,
): Promise<readonly string[]> {
  if (derivedKeys.size >= DERIVED_KEYS_MAX) derivedKeys.clear();
  const signer = new AwsV4Signer({
    method,
    url,
    body: method === 'GET' ? '' : typeof body === 'string' ? body : new Uint8Array(body),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    region,
    service,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    cache: derivedKeys,
  });
  return [...(await signer.sign()).headers].flat();
}
