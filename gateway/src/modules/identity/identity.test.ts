// The parts of identity that need no database: spellings of addresses, secrets, and what may be remembered how long.

import { describe, expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import type { Caller } from '../../canonical/caller.ts';
import { CallerCache } from './caller-cache.ts';
import { isAllowListEntry } from './client-address.ts';
import { normalizeEmail } from './email.ts';
import { hashKeySecret, isOwnKeySecret, newKeySecret } from './key-secret.ts';
import { hashPassword, verifyPassword } from './password.ts';

describe('email addresses', () => {
  test.each([
    ['Ann@Example.COM', 'ann@example.com'],
    ['  ann+tag@example.com ', 'ann+tag@example.com'],
    ['ann@EXÄMPLE.com', 'ann@xn--exmple-cua.com'],
    ['ann@ok。edu', 'ann@ok.edu'],
  ])('%s is the mailbox %s', (text, normalized) => {
    expect(normalizeEmail(text)).toBe(normalized);
  });

  test.each([
    'ann',
    '@example.com',
    'ann@',
    'ann@localhost',
    'a@ok.edu@evil.com',
    'ann@ok.edu.',
    '"ann"@example.com',
    'ann(x)@example.com',
    'ann@[127.0.0.1]',
    'ann@exam ple.com',
    'ann\r\nBcc: x@example.com',
    'ann@ok.edu%00',
    'ann@ok%2eedu',
    'ann@ok.edu/.evil.com',
    'ann@ok.edu?.evil.com',
    'ann@ok.edu#.evil.com',
    'ann@ok.edu\\.evil.com',
    'ann@ok\t.edu',
    'ann@ok\u00ad.edu',
    '.ann@example.com',
    'a..b@example.com',
    `${'a'.repeat(250)}@example.com`,
  ])('%j is refused', (text) => {
    expect(normalizeEmail(text)).toBeNull();
  });

  test('letters of another script are another mailbox', () => {
    expect(normalizeEmail('a@оk.edu')).not.toBe('a@ok.edu');
  });
});

describe('key secrets', () => {
  const pepper = Buffer.alloc(32, 1);

  test('KEY-01 a made-up or altered key is known for one without asking anyone', () => {
    const secret = newKeySecret(pepper);
    expect(isOwnKeySecret(pepper, secret)).toBe(true);
    expect(isOwnKeySecret(Buffer.alloc(32, 2), secret)).toBe(false);
    for (let index = 0; index < secret.length; index++) {
      const altered = `${secret.slice(0, index)}${secret[index] === 'x' ? 'y' : 'x'}${secret.slice(index + 1)}`;
      expect(isOwnKeySecret(pepper, altered), String(index)).toBe(false);
    }
    expect(isOwnKeySecret(pepper, '')).toBe(false);
    expect(isOwnKeySecret(pepper, `${secret}=`)).toBe(false);
  });

  test('KEY-06 the stored hash depends on the pepper', () => {
    const secret = newKeySecret(pepper);
    expect(hashKeySecret(pepper, secret)).toHaveLength(32);
    expect(hashKeySecret(pepper, secret).equals(hashKeySecret(Buffer.alloc(32, 2), secret))).toBe(false);
  });
});

test('a password is verified against its own salt and parameters', async () => {
  const stored = await hashPassword('correct horse', 'test');
  expect(stored).not.toContain('correct');
  expect(await hashPassword('correct horse', 'test')).not.toBe(stored);
  expect(await verifyPassword('correct horse', stored, 'test')).toBe(true);
  expect(await verifyPassword('wrong horse', stored, 'test')).toBe(false);
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['0.0.0.0/0', true],
  ['1.2.3.4/32', true],
  ['2001:db8::1', true],
  ['10.0.0.0/33', false],
  ['2001:db8::/32', false],
  ['01.2.3.4', false],
  ['1.2.3', false],
  ['1.2.3.256', false],
  ['1.2.3.4/08', false],
  [' 1.2.3.4', false],
  ['fe80::1%eth0', false],
  ['host.example', false],
  ['', false],
])('AUTH-10 %j as an entry of the address list: %s', (entry, isAccepted) => {
  expect(isAllowListEntry(entry)).toBe(isAccepted);
});

describe('the cache of callers', () => {
  const caller: Caller = {
    keyId: 'key-1',
    keyType: 'standard',
    userId: 'usr-1',
    accountId: 'usr-1',
    isSuspended: false,
    expiresAtMs: null,
    allowedCidrs: [],
    hasFreeFallback: true,
    allowedModels: null,
    caps: [],
  };

  function openCache() {
    const clock = new MovableClock('2026-03-10T12:00:00Z');
    const pending: ((found: Caller | null) => void)[] = [];
    const load = (): Promise<Caller | null> => new Promise((resolve) => pending.push(resolve));
    return { clock, pending, cache: new CallerCache({ isPlausible: (token) => token !== 'nonsense', load }, clock) };
  }

  test('many calls with one new key ask the database once, later ones not at all', async () => {
    const { cache, pending } = openCache();
    const finds = [cache.find('t'), cache.find('t'), cache.find('t')];
    expect(pending).toHaveLength(1);
    pending[0]?.(caller);
    expect(await Promise.all(finds)).toEqual([caller, caller, caller]);
    expect(cache.find('t')).toBe(caller);
  });

  test('an implausible token is refused at once and never looked up', () => {
    const { cache, pending } = openCache();
    expect(cache.find('nonsense')).toBeNull();
    expect(pending).toHaveLength(0);
  });

  test('what was read before a change is not kept after it', async () => {
    const { cache, pending } = openCache();
    const before = cache.find('t');
    cache.invalidate('key-1');
    const after = cache.find('t');
    expect(pending).toHaveLength(2);
    pending[0]?.(caller);
    await before;
    expect(cache.find('t')).toBeInstanceOf(Promise);
    pending[1]?.({ ...caller, isSuspended: true });
    expect(await after).toMatchObject({ isSuspended: true });
    expect(cache.find('t')).toMatchObject({ isSuspended: true });
  });

  test('AUTH-14 a refusal that was read before a key could be used is gone with the notice of it, whenever its read ends', async () => {
    const { cache, pending } = openCache();
    const [early, late] = [cache.find('early'), cache.find('late')];
    pending[0]?.(null);
    expect(await early).toBeNull();
    // The notice names the key, which a refusal does not know.
    cache.invalidate('key-1');
    pending[1]?.(null);
    expect(await late).toBeNull();
    const finds = [cache.find('early'), cache.find('late'), cache.find('late')];
    expect(pending).toHaveLength(4);
    for (const find of pending.slice(2)) find(caller);
    expect(await Promise.all(finds)).toEqual([caller, caller, caller]);
  });

  test('a refusal is remembered for seconds, a caller for an hour', async () => {
    const { cache, clock, pending } = openCache();
    const refused = cache.find('t');
    pending[0]?.(null);
    await refused;
    expect(cache.find('t')).toBeNull();
    clock.move(10_000);
    const found = cache.find('t');
    pending[1]?.(caller);
    await found;
    clock.move(3_599_999);
    expect(cache.find('t')).toBe(caller);
    clock.move(1);
    expect(cache.find('t')).toBeInstanceOf(Promise);
  });

  test('a failed read is not remembered', async () => {
    const clock = new MovableClock('2026-03-10T12:00:00Z');
    let isAway = true;
    const load = (): Promise<Caller | null> => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(caller));
    const cache = new CallerCache({ isPlausible: () => true, load }, clock);
    await expect(cache.find('t')).rejects.toThrow('away');
    isAway = false;
    expect(await cache.find('t')).toBe(caller);
  });
});
