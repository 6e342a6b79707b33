// Tokens for a service account: a claim that is signed with the account's key is exchanged for a token. The account's
// JSON is in the config, or in a file that it names; the file is read each time, so that a key can be replaced there.

import { readFile } from 'node:fs/promises';
import { importPKCS8, SignJWT } from 'jose';
import type { Provider } from '../../../canonical/model.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { AuthorizationError, type TokenGrant } from '../../protocol.ts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ALGORITHM = 'RS256';
const CLAIM_SECONDS = 3_600;

type ServiceAccount = Readonly<{ email: string; privateKey: string; keyId: string | undefined; tokenUrl: string }>;

export function serviceAccountGrant({ settings = {} }: Provider): TokenGrant {
  const { credentials = '', token_url: tokenUrl } = settings;
  return {
    identity: `${tokenUrl ?? ''} ${credentials}`,
    async request(nowMs) {
      const account = readAccount(await textOf(credentials), tokenUrl);
      return { url: account.tokenUrl, body: await claimOf(account, nowMs) };
    },
  };
}

async function textOf(credentials: string): Promise<string> {
  if (credentials.trimStart().startsWith('{')) return credentials;
  try {
    return await readFile(credentials, 'utf8');
  } catch (cause) {
    throw new AuthorizationError('the file of the service account cannot be read', { cause });
  }
}

function readAccount(text: string, tokenUrl: string | undefined): ServiceAccount {
  const {
    client_email: email,
    private_key: privateKey,
    private_key_id: keyId,
    token_uri: ownUrl,
  } = readJsonObject(text) ?? {};
  if (typeof email !== 'string' || typeof privateKey !== 'string') {
    throw new AuthorizationError('the credentials are no service account');
  }
  return {
    email,
    privateKey,
    keyId: typeof keyId === 'string' ? keyId : undefined,
    tokenUrl: tokenUrl ?? (typeof ownUrl === 'string' ? ownUrl : TOKEN_URL),
  };
}

async function claimOf({ email, privateKey, keyId, tokenUrl }: ServiceAccount, nowMs: number): Promise<string> {
  const seconds = Math.floor(nowMs / 1_000);
  const header = { alg: ALGORITHM, typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
  const claim = new SignJWT({ scope: SCOPE })
    .setProtectedHeader(header)
    .setIssuer(email)
    .setSubject(email)
    .setAudience(tokenUrl)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + CLAIM_SECONDS);
  const assertion = await claim.sign(await keyOf(privateKey));
  return new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString();
}

async function keyOf(privateKey: string): ReturnType<typeof importPKCS8> {
  try {
    // In a line of a file, line breaks are often written as two characters each.
    return await importPKCS8(privateKey.replaceAll('\\n', '\n'), ALGORITHM);
  } catch {
    // The error's own message may contain the key.
    throw new AuthorizationError('the private key of the service account cannot be read');
  }
}
