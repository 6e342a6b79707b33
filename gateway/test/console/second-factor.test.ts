// The second factor in a browser: set up in the settings, asked for at sign-in, with an app, a recovery code and a
// passkey of Chromium's own virtual authenticator. Passkeys need a name of the site, so it is called localhost here.

import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../signin/authenticator-app.ts';
import { hasChromium } from './chromium.ts';
import { type ConsoleBed, openConsole, type Person, TEST_TIMEOUT_MS } from './console-bed.ts';
import { checkPage, NO_PROBLEMS } from './page-checks.ts';

let bed: ConsoleBed;
let ann: Person;
let page: Page;
let authenticator: CDPSession;
let secret = '';
let codes: readonly string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  bed = await openConsole();
  ann = await bed.person('Ann');
  page = await bed.openPage();
  authenticator = await page.context().newCDPSession(page);
  await authenticator.send('WebAuthn.enable');
  await authenticator.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}, TEST_TIMEOUT_MS);

afterAll(() => bed?.close(), TEST_TIMEOUT_MS);

afterEach(() => {
  expect(bed?.complaints ?? []).toEqual([]);
});

const at = (path: string): string => bed.harness.url.replace('127.0.0.1', 'localhost') + path;
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function signInWithPassword(): Promise<void> {
  await page.context().clearCookies();
  await page.goto(at('/console/sign-in?next=/settings'));
  await page.getByLabel('Email').fill(ann.address);
  await page.getByLabel('Password').fill(ann.password);
  await button('Sign in').click();
}

const arrived = (): Promise<void> => page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();

describe.skipIf(!hasChromium)('the second factor', { timeout: TEST_TIMEOUT_MS }, () => {
  test('an app is set up with the picture or the secret, and recovery codes are shown once', async () => {
    await signInWithPassword();
    await arrived();
    await button('Set up an app').click();
    await page.getByLabel('Your password').fill(ann.password);
    await button('Continue').click();
    await page.getByRole('img', { name: 'The secret as a picture for the app' }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    secret = ((await page.getByLabel('The secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('Code that the app shows').fill(codeOf(secret, bed.town.clock.nowMs()));
    await button('Confirm the app').click();
    const list = page.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    codes = await list.getByRole('listitem').allInnerTexts();
    expect(codes.length).toBe(10);
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await button('I have kept them').click();
    await page.getByText('10 of 10 left').waitFor();
  });

  test('the password alone leads to the next step, where a wrong code is refused and a recovery code opens', async () => {
    await signInWithPassword();
    await page.getByRole('heading', { level: 1, name: 'One more step' }).waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    await page.getByLabel('Code').fill('000000');
    await button('Sign in').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await button('Sign in').click();
    await arrived();
    await page.getByText('9 of 10 left').waitFor();
  });

  test('a passkey is added, and opens the door with a touch', async () => {
    await button('Add a passkey').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await page.getByLabel('Your password').fill(ann.password);
    await button('Add the passkey').click();
    await button('Remove Laptop').waitFor();
    expect(await checkPage(page)).toEqual(NO_PROBLEMS);
    for (const _ of [1, 2]) {
      await signInWithPassword();
      await button('Use a passkey').click();
      await arrived();
    }
  });

  test('what a passkey signed opens nothing a second time', async () => {
    const shown: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/auth/second-factor')) shown.push(request.postData() ?? '');
    });
    await signInWithPassword();
    await button('Use a passkey').click();
    await arrived();
    const [body = ''] = shown;
    expect(body).toContain('authenticatorData');
    const local = await fetch(at('/api/auth/login'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: at('') },
      body: JSON.stringify({ email: ann.address, password: ann.password }),
    });
    expect(local.status).toBe(202);
    const cookie = local.headers
      .getSetCookie()
      .map((it) => it.split(';')[0])
      .join('; ');
    const post = (path: string, text: string) =>
      fetch(at(path), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: at(''), Cookie: cookie },
        body: text,
      });
    expect((await post('/api/auth/second-factor', body)).status).toBe(401);
    // A new challenge makes the old signature invalid.
    expect((await post('/api/auth/second-factor/passkey', '{}')).status).toBe(200);
    expect((await post('/api/auth/second-factor', body)).status).toBe(401);
  });

  test('the passkey is removed with the password', async () => {
    await button('Remove Laptop').click();
    await page.getByLabel('Your password').fill(ann.password);
    await button('Remove the passkey').click();
    await button('Remove Laptop').waitFor({ state: 'detached' });
    expect(bed.unpublishedCalls()).toEqual([]);
  });
});
