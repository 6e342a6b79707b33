// Where models are asked, which format they use, and how a service account gets its tokens without any part of its key
// in an error.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, importSPKI, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import type { Candidate, Provider } from '../../../canonical/model.ts';
import { modelPath, publisherOf } from './model-path.ts';
import { serviceAccountGrant } from './service-account.ts';

const candidate = (upstreamModel: string, baseUrl = 'https://x.test', family = 'other'): Candidate =>
  ({
    upstreamModel,
    provider: { baseUrl, settings: { project: 'p1', location: 'us-east5' } },
    model: { traits: { family } },
  }) as unknown as Candidate;

test.each([
  ['gemini-2.5-pro', 'https://x.test', '/v1/projects/p1/locations/us-east5/publishers/google/models/gemini-2.5-pro'],
  [
    'claude-x@20250514',
    'https://x.test/v1',
    '/projects/p1/locations/us-east5/publishers/anthropic/models/claude-x@20250514',
  ],
  [
    'publishers/anthropic/models/m',
    'https://x.test/v1beta1',
    '/projects/p1/locations/us-east5/publishers/anthropic/models/m',
  ],
  ['google/m', 'https://x.test/v1/projects/p/locations/l', '/publishers/google/models/m'],
])('ROUTE-04 %s at %s', (model, baseUrl, path) => {
  expect(modelPath(candidate(model, baseUrl))).toBe(path);
});

test('ROUTE-04 the family decides where the name does not', () => {
  expect(publisherOf(candidate('m', '', 'anthropic'))).toBe('anthropic');
  expect(publisherOf(candidate('m'))).toBe('google');
});

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const account = {
  client_email: 'robot@p1.test',
  private_key: keys.privateKey,
  private_key_id: 'k7',
  token_uri: 'https://t.test/token',
};
const grantOf = (credentials: string, token_url?: string) =>
  serviceAccountGrant({
    settings: { credentials, ...(token_url === undefined ? {} : { token_url }) },
  } as unknown as Provider);

async function claimOf(credentials: string) {
  const nowMs = Date.now();
  const { url, body } = await grantOf(credentials).request(nowMs);
  const form = new URLSearchParams(body);
  const jwt = form.get('assertion') ?? '';
  const { payload } = await jwtVerify(jwt, await importSPKI(keys.publicKey, 'RS256'), { audience: account.token_uri });
  return { url, grant: form.get('grant_type'), payload, header: decodeProtectedHeader(jwt) };
}

test('a claim is signed with the key of the account, for its office and for an hour', async () => {
  const { url, grant, payload, header } = await claimOf(JSON.stringify(account));
  expect(url).toBe('https://t.test/token');
  expect(grant).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k7' });
  expect(payload).toMatchObject({ iss: account.client_email, scope: 'https://www.googleapis.com/auth/cloud-platform' });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3_600);
});

test('the account may be in a file, and its address may be another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'account-'));
  try {
    const file = join(folder, 'account.json');
    await writeFile(file, JSON.stringify({ ...account, private_key: keys.privateKey.replaceAll('\n', '\\n') }));
    expect((await claimOf(file)).url).toBe('https://t.test/token');
    expect((await grantOf(file, 'https://other.test/t').request(0)).url).toBe('https://other.test/t');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ['a file that is not there', '/nowhere/SECRET.json'],
  ['JSON that is no account', '{"SECRET":1}'],
  ['a key that is none', JSON.stringify({ ...account, private_key: 'SECRET' })],
])('ERR-56 %s says nothing of what it holds', async (_, credentials) => {
  const error: unknown = await grantOf(credentials)
    .request(0)
    .catch((problem: unknown) => problem);
  expect(String(error)).not.toContain('SECRET');
  expect(String(error)).toContain('service account');
});
