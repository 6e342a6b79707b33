// An application asks a user for a key: it gets one that the user has agreed to, within the user's limits, and nobody
// else gets it, whatever part of the exchange they have seen.

import { createHash, randomBytes } from 'node:crypto';
import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { openTown, PASSWORD, type Town } from './people.ts';

const CALLBACK = 'https://app.example/callback?session=7';

let town: Town;
let ann: Browser;

beforeAll(async () => {
  town = await openTown();
  ann = (await town.signedIn()).browser;
});

afterAll(() => town.close());

type Pair = Readonly<{ verifier: string; challenge: string }>;

function pair(): Pair {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

const agree = (challenge: string, changes: Json = {}) =>
  ann.post('/api/account/applications', {
    callbackUrl: CALLBACK,
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
    limitUsd: 2.5,
    limitReset: 'monthly',
    expiresInDays: 30,
    ...changes,
  });

async function codeFor(challenge: string): Promise<string> {
  const { body } = await agree(challenge);
  return new URL(String(body.redirectTo)).searchParams.get('code') ?? '';
}

const exchange = (code: string, verifier: string): Promise<Answer> =>
  town.harness.request('POST', '/api/v1/auth/keys', {
    body: { code, code_verifier: verifier, code_challenge_method: 'S256' },
  });

test('the browser is led to the page where the user agrees, with what the application said', async () => {
  const { challenge } = pair();
  const query = `callback_url=${encodeURIComponent(CALLBACK)}&code_challenge=${challenge}&code_challenge_method=S256`;
  const begun = await town.browser().get(`/auth?${query}`);
  expect(begun.status).toBe(302);
  const page = new URL(begun.headers.get('location') ?? '');
  expect(page.pathname).toBe('/console/connect');
  expect(page.searchParams.get('callback_url')).toBe(CALLBACK);
  expect(page.origin).toBe(new URL(town.harness.url).origin);
});

test('the key has the bounds that the user chose, works, is listed, and ends when it is deleted', async () => {
  const { verifier, challenge } = pair();
  const { body } = await agree(challenge);
  const back = new URL(String(body.redirectTo));
  expect(`${back.origin}${back.pathname}`).toBe('https://app.example/callback');
  expect(back.searchParams.get('session')).toBe('7');
  const answer = await exchange(back.searchParams.get('code') ?? '', verifier);
  expect(answer).toMatchObject({
    status: 200,
    body: { key: expect.stringMatching(/^sk-/), user_id: expect.any(String) },
  });
  const key = String(answer.body.key);
  expect((await town.harness.request('GET', '/v1/key', { key })).status).toBe(200);
  const keys = (await ann.get('/api/account/keys')).body.keys as Json[];
  const own = keys.find(({ name }) => name === 'Application: app.example');
  expect(own).toMatchObject({ spendLimitUsd: 2.5, spendLimitPeriod: 'monthly', keyType: 'standard' });
  expect(own?.expiresAt).toEqual(expect.any(String));
  await ann.request('DELETE', `/api/account/keys/${String(own?.id)}`);
  expect((await town.harness.request('GET', '/v1/key', { key })).status).toBe(401);
});

test('a code works once, also when it is sent many times at once', async () => {
  const { verifier, challenge } = pair();
  const code = await codeFor(challenge);
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code, verifier)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(403)]);
});

test('whoever has seen the code alone gets nothing, and spends it', async () => {
  const { verifier, challenge } = pair();
  const code = await codeFor(challenge);
  expect((await exchange(code, pair().verifier)).status).toBe(403);
  expect((await exchange(code, challenge)).status).toBe(403);
  expect((await exchange(code, verifier)).status).toBe(403);
});

test('a code is good for ten minutes', async () => {
  const { verifier, challenge } = pair();
  const code = await codeFor(challenge);
  town.clock.move(601_000);
  expect((await exchange(code, verifier)).status).toBe(403);
});

test('a code that waits ends with the sessions of its user, and gives nothing to one who is suspended', async () => {
  const { verifier, challenge } = pair();
  const { browser, userId, address } = await town.operatorUser();
  const newCode = async (from: Browser): Promise<string> => {
    const body = { callbackUrl: CALLBACK, codeChallenge: challenge, codeChallengeMethod: 'S256' };
    const bounds = { limitUsd: null, limitReset: null, expiresInDays: null };
    const agreed = await from.post('/api/account/applications', { ...body, ...bounds });
    return new URL(String(agreed.body.redirectTo)).searchParams.get('code') ?? '';
  };
  const signedOut = await newCode(browser);
  expect((await browser.post('/api/auth/logout-all')).status).toBe(200);
  expect((await exchange(signedOut, verifier)).status).toBe(403);
  await browser.post('/api/auth/login', { email: address, password: PASSWORD });
  const suspended = await newCode(browser);
  await town.harness.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
  expect((await exchange(suspended, verifier)).status).toBe(403);
  expect(await town.rows('select 1 from api_keys where user_id = $1', [userId])).toEqual([]);
});

test('codes lead nowhere but to https, the own machine, or an application', async () => {
  const { challenge } = pair();
  const statusOf = async (callbackUrl: string): Promise<number> => (await agree(challenge, { callbackUrl })).status;
  for (const good of ['http://localhost:3000/cb', 'http://127.0.0.1:1/cb', 'vscode://some.extension/cb']) {
    expect(await statusOf(good), good).toBe(200);
  }
  const bad = [
    'http://app.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//app.example',
    '/console/',
    'https://user:secret@app.example/',
    'https://app.example/#x',
    'http://localhost.evil.example/',
  ];
  for (const url of bad) expect(await statusOf(url), url).toBe(400);
});

test('without a challenge, with a plain one, or from another site, nothing is given', async () => {
  const { challenge } = pair();
  expect((await agree(challenge, { codeChallengeMethod: 'plain' })).status).toBe(400);
  expect((await agree('short')).status).toBe(400);
  expect((await town.browser().post('/api/account/applications', {})).status).toBe(401);
  const foreign = await ann.request(
    'POST',
    '/api/account/applications',
    {},
    {
      Origin: 'https://evil.example',
      'Sec-Fetch-Site': 'cross-site',
    },
  );
  expect(foreign.status).toBe(403);
});

test("OpenRouter's SDK makes the address, exchanges the code and calls with the key; a stolen code is of no use", async () => {
  const sdk = new OpenRouter({ serverURL: `${town.harness.url}/api/v1` });
  const { codeChallenge, codeVerifier } = await sdk.oAuth.createSHA256CodeChallenge();
  const callback = { callbackUrl: CALLBACK, codeChallenge, codeChallengeMethod: 'S256' } as const;
  const address = new URL(await sdk.oAuth.createAuthorizationUrl({ ...callback, limit: 5 }));
  expect(address.origin).toBe(new URL(town.harness.url).origin);
  const begun = await town.browser().get(address.pathname + address.search);
  const asked = new URL(begun.headers.get('location') ?? '').searchParams;
  expect([asked.get('callback_url'), asked.get('limit')]).toEqual([CALLBACK, '5']);
  const challenge = asked.get('code_challenge') ?? '';
  const stolen = { code: await codeFor(challenge), codeVerifier: 'v'.repeat(43), codeChallengeMethod: 'S256' } as const;
  await expect(sdk.oAuth.exchangeAuthCodeForAPIKey(stolen)).rejects.toMatchObject({ statusCode: 403 });
  const own = { ...stolen, code: await codeFor(challenge), codeVerifier };
  const { key } = await sdk.oAuth.exchangeAuthCodeForAPIKey(own);
  expect((await town.harness.request('GET', '/v1/key', { key })).status).toBe(200);
  await expect(sdk.oAuth.exchangeAuthCodeForAPIKey(own)).rejects.toMatchObject({ statusCode: 403 });
});
