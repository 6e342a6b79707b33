// No secret of signing in is logged, in any outcome: passwords, links, cookies, codes of other sites.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogFields, Logger } from '../../src/platform/logger.ts';
import { FakeProvider } from './fake-provider.ts';
import { openTown, type Town } from './people.ts';

const PASSWORD = 'canary-password-of-a-person';
const CLIENT_SECRET = 'canary-client-secret';

const printed: string[] = [];
const keep = (fields: LogFields, words: string): void => {
  const error = fields.error instanceof Error ? [fields.error.stack, String(fields.error.cause)] : [];
  const plain = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  printed.push([words, ...plain, ...error].join(' '));
};
const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };

let site: FakeProvider;
let town: Town;

beforeAll(async () => {
  site = new FakeProvider();
  const url = await site.listen();
  town = await openTown({
    start: { logger },
    env: {
      // Nothing listens there: every mail fails and is reported.
      SMTP_URL: 'smtp://gate:canary-smtp-password@127.0.0.1:9',
      GITHUB_CLIENT_ID: 'client',
      GITHUB_CLIENT_SECRET: CLIENT_SECRET,
      GITHUB_OAUTH_BASE: url,
      GITHUB_API_BASE: url,
    },
  });
});

afterAll(async () => {
  await town.close();
  await site.close();
});

test('AUTH-15 no password, token, cookie or code is in the log', async () => {
  const email = town.newAddress();
  const browser = town.browser();
  await browser.post('/api/auth/signup', { email, name: 'Ann' });
  await browser.post('/api/auth/verify-email', { token: 'canary-token', password: PASSWORD });
  await browser.post('/api/auth/reset-password', { token: 'canary-token', password: PASSWORD });
  await browser.post('/api/auth/login', { email, password: PASSWORD });
  await browser.request('POST', '/api/auth/login', `{"email": "${email}", "password": "${PASSWORD}"`);

  await town.harness.operate('POST', '/admin/v1/users', { email: town.newAddress(), name: 'Bo', password: PASSWORD });
  const begun = await browser.get('/api/auth/oauth/github');
  const link = site.agree(begun.headers.get('location') ?? '');
  site.failure = { status: 200, body: 'canary-access-token in an answer that is not understood' };
  await browser.get(link);
  site.failure = null;
  const again = await browser.get('/api/auth/oauth/github');
  await browser.get(site.agree(again.headers.get('location') ?? ''));
  const cookie = browser.cookie('tollgate_session') ?? '';
  expect(cookie).toHaveLength(43);
  browser.origin = 'https://evil.example';
  await browser.post('/api/auth/logout');
  browser.origin = town.harness.url;
  await browser.post('/api/auth/logout');

  await expect.poll(() => printed.some((line) => line.includes('could not be sent'))).toBe(true);
  const text = printed.join('\n');
  expect(text).toContain('a sign-in through another site failed');
  const code = new URL(link, 'http://none').searchParams.get('code') ?? 'none';
  for (const secret of [
    PASSWORD,
    CLIENT_SECRET,
    'canary-smtp-password',
    'canary-token',
    'canary-access-token',
    cookie,
    code,
  ]) {
    expect(text, secret).not.toContain(secret);
  }
  expect(text).not.toContain(email);
});
