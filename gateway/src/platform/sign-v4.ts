// Signature Version 4 of a prepared call, for Amazon's services and others that require it. It signs the address, the
// time, a session's token, the body, and the headers given here.

import { AwsV4Signer } from 'aws4fetch';

type SignableCall = Readonly<{
  method: string;
  url: string;
  body: string | Buffer;
  /** Also signed, and part of the result. */
  headers?: Readonly<Record<string, string>>;
  nowMs: number;
}>;

export type SigningKeys = Readonly<{ accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }>;

export type SigningScope = Readonly<{ region: string; service: string }>;

/** Keys that are derived for a day, by secret; there are few of them. */
const derivedKeys = new Map<string, ArrayBuffer>();
const DERIVED_KEYS_MAX = 100;

/** Names and values in turn: the headers to send besides the call's own. */
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
