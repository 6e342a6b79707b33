// A visitor has a hostile site open beside the console. The site can make the visitor's browser send requests and load
// addresses, and it can put any sender or host into requests of its own. It must not change where a reset link leads,
// complete its own sign-in in the visitor's browser, or have a picture shown as a page.

import { request } from 'node:http';
import { makePng } from '@tollgate/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paint, paintingModel, urlsOf } from '../images/image-harness.ts';
import { Browser } from '../signin/browser.ts';
import { FakeProvider } from '../signin/fake-provider.ts';
import { openTown, type Town } from '../signin/people.ts';

const EVIL = 'https://evil.example';

let site: FakeProvider;
let town: Town;

beforeAll(async () => {
  site = new FakeProvider();
  const url = await site.listen();
  town = await openTown({
    models: { 'acme/painter': paintingModel() },
    env: {
      GITHUB_CLIENT_ID: 'github-client',
      GITHUB_CLIENT_SECRET: 'github-secret',
      GITHUB_OAUTH_BASE: url,
      GITHUB_API_BASE: url,
    },
  });
});

afterAll(async () => {
  expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
  await town.close();
  await site.close();
});

type Sent = Readonly<{ host?: string; headers?: Readonly<Record<string, string>>; body: unknown }>;

/** As a program of the attacker's sends it, which may name any host. */
function send(path: string, { host, headers = {}, body }: Sent): Promise<number> {
  const { hostname, port } = new URL(town.harness.url);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...(host === undefined ? {} : { host }), ...headers };
    const asking = request({ hostname, port, path, method: 'POST', headers: all }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asking.on('error', reject);
    asking.end(text);
  });
}

describe('reset links', () => {
  const poisons: Readonly<Record<string, Omit<Sent, 'body'>>> = {
    host: { host: 'evil.example' },
    'forwarded host': { headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' } },
    forwarded: { headers: { forwarded: 'host=evil.example;proto=https' } },
    'original host': { headers: { 'x-original-host': 'evil.example', 'x-host': 'evil.example' } },
    'rewritten path': { headers: { 'x-original-url': `${EVIL}/`, 'x-rewrite-url': `${EVIL}/` } },
    referrer: { headers: { referer: `${EVIL}/console/` } },
  };

  test.each(Object.entries(poisons))('lead here whatever the request says of its %s', async (_, poison) => {
    const { address } = await town.operatorUser();
    await send('/api/auth/forgot-password', { ...poison, body: { email: address } });
    const direct = await send('/api/auth/forgot-password', { body: { email: address } });
    expect(direct).toBe(202);
    const mail = await town.mail(address);
    expect(mail).toMatch(new RegExp(`\\n${town.harness.url}/console/reset-password#token=[\\w-]{20,}\\n`));
    expect((await town.mails(address)).join('')).not.toContain('evil.example');
  });

  test('a page of another site neither asks for one nor uses one, in any form that a page can send', async () => {
    const { address } = await town.operatorUser();
    const reset = { token: 'a'.repeat(43), password: 'the password of another' };
    for (const [path, body] of [
      ['/api/auth/forgot-password', { email: address }],
      ['/api/auth/reset-password', reset],
    ] as const) {
      for (const origin of [EVIL, 'null', `${town.harness.url}.evil.example`]) {
        expect(await send(path, { headers: { origin }, body }), origin).toBe(403);
      }
      const form = new URLSearchParams(body as Record<string, string>).toString();
      const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(await send(path, { headers: urlencoded, body: form })).toBe(415);
      expect(await send(path, { headers: { 'content-type': 'text/plain' }, body })).toBe(415);
    }
    expect(await town.mails(address)).toEqual([]);
  });

  test('one works once, for its own purpose, and no change of it works at all', async () => {
    const { address, browser } = await town.operatorUser();
    await browser.post('/api/auth/forgot-password', { email: address });
    const token = await town.token(address);
    const use = (text: string) =>
      browser.post('/api/auth/reset-password', { token: text, password: 'a fresh password' });
    const altered = [token.slice(1), `${token}a`, token.split('').reverse().join('')];
    for (const text of altered) expect((await use(text)).status, text).toBe(400);
    const confirm = await browser.post('/api/auth/verify-email', { token, password: 'a fresh password' });
    expect(confirm.status).toBe(400);
    const pages = await Promise.all(Array.from({ length: 3 }, () => use(token)));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });
});

describe('signing in by another site', () => {
  const begin = async (browser: Browser): Promise<string> =>
    (await browser.get('/api/auth/oauth/github')).headers.get('location') ?? '';
  const whoIs = async (browser: Browser): Promise<unknown> => (await browser.get('/api/auth/session')).body.user;

  test('the attacker s own sign-in does not end in the browser of somebody who is signed in', async () => {
    const attacker = town.browser();
    site.account = { id: 7_001, email: town.newAddress(), isVerified: true, name: 'Mallory' };
    const link = site.agree(await begin(attacker));
    const { browser: victim, userId } = await town.operatorUser();
    const ways: readonly Record<string, string>[] = [
      {},
      { referer: `${EVIL}/` },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    ];
    for (const headers of ways) {
      const page = await victim.request('GET', link, undefined, headers);
      expect(page.headers.get('location')).toContain('error=expired');
      expect(await whoIs(victim)).toMatchObject({ id: userId });
    }
  });

  test('a state is good for the browser that has its other half, and no change of it is', async () => {
    const victim = town.browser();
    site.account = { id: 7_002, email: town.newAddress(), isVerified: true, name: 'Vera' };
    const link = site.agree(await begin(victim));
    const state = new URL(link, EVIL).searchParams.get('state') ?? '';
    const memory = victim.cookie('tollgate_oauth') ?? '';
    const changes = [
      '',
      state.slice(1),
      `${state}a`,
      state.toLowerCase(),
      memory,
      ...Array.from(
        { length: 20 },
        (_, at) => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`,
      ),
    ];
    for (const changed of changes.filter((text) => text !== state)) {
      const browser = Browser.withCookiesOf(victim, town.harness);
      const page = await browser.get(link.replace(`state=${state}`, `state=${changed}`));
      expect(page.headers.get('location'), changed).toMatch(/error=(?:expired|failed)/);
      expect(await whoIs(browser)).toBeUndefined();
    }
  });

  test('a form that another site posts to the end of a sign-in finds nothing there', async () => {
    const victim = town.browser();
    const link = site.agree(await begin(victim));
    expect((await victim.post(link)).status).toBeGreaterThanOrEqual(404);
    expect(await whoIs(victim)).toBeUndefined();
  });
});

test('IMG-13 a picture opens as a picture in any page, with neither script nor cookie, whatever it is asked as', async () => {
  const { key } = await town.harness.account(5);
  const [url = ''] = urlsOf(await paint(town.harness, key));
  for (const accept of ['text/html', 'image/svg+xml', '*/*']) {
    const response = await fetch(url, { headers: { accept, origin: EVIL, cookie: 'tollgate_session=x' } });
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(Buffer.from(await response.arrayBuffer()).equals(makePng(1))).toBe(true);
  }
});
