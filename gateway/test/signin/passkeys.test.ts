// What a new passkey says of itself comes from a stranger: ways to reach it that nobody knows are not kept, and
// anything malformed is refused with a reason.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { openTown, PASSWORD, type Town } from './people.ts';
import { newCredential } from './software-authenticator.ts';

let town: Town;

beforeAll(async () => {
  town = await openTown();
});

afterAll(() => town.close());

type Told = Readonly<{ response?: object; credentialId?: Uint8Array; outside?: object }>;

async function add(browser: Browser, { response = {}, credentialId = randomBytes(32), outside = {} }: Told) {
  const begun = await browser.post('/api/auth/factors/passkeys/options', { password: PASSWORD });
  const challenge = String((begun.body.options as Json).challenge);
  const made = newCredential({ challenge, origin: town.harness.url, credentialId, response });
  return browser.post('/api/auth/factors/passkeys', { name: 'key', passkey: { ...made, ...outside } });
}

const transportsOf = async (userId: string): Promise<unknown[]> =>
  (await town.rows('select transports from passkeys where user_id = $1', [userId])).map(({ transports }) => transports);

test('ways to reach an authenticator are kept as far as they are known, and once each', async () => {
  const { browser, userId } = await town.operatorUser();
  const told = await add(browser, { response: { transports: ['usb', 'telepathy', 'nfc', 'usb'] } });
  expect(told.status, told.text).toBe(200);
  expect(await transportsOf(userId)).toEqual([['nfc', 'usb']]);
  // Beside a field that nobody knows, the rest of the body is still whole.
  const silent = await add(browser, { outside: { authenticatorAttachment: 'platform' } });
  expect(silent.status, silent.text).toBe(200);
  expect(await transportsOf(userId)).toEqual([['nfc', 'usb'], []]);
});

test('malformed ones are refused with the field that is wrong', async () => {
  const { browser, userId } = await town.operatorUser();
  const malformed = ['usb', { usb: true }, [['usb'], 'nfc'], [1], [null], ['u'.repeat(41)], Array(21).fill('usb')];
  for (const transports of malformed) {
    const refused = await add(browser, { response: { transports } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('passkey.response.transports')]);
  }
  expect(await transportsOf(userId)).toEqual([]);
});

test('a passkey whose own id is not the one it came with, or is longer than any, is refused', async () => {
  const { browser, userId } = await town.operatorUser();
  const short = { id: 'AAAA', rawId: 'AAAA' };
  expect((await add(browser, { outside: short })).status).toBe(400);
  expect((await add(browser, { credentialId: randomBytes(5_000), outside: short })).status).toBe(400);
  expect(await transportsOf(userId)).toEqual([]);
});
