// Sealed text must open only with its key and in its place; everything else is refused, never half opened.

import { expect, test } from 'vitest';
import { deriveKey, hmacSha256Hex, open, seal, timingSafeEqualText } from './crypto.ts';

const key = deriveKey('root', 'test');

test('keys are derived per purpose, by HKDF-SHA256', () => {
  expect(key).toHaveLength(32);
  expect(deriveKey('root', 'test').equals(key)).toBe(true);
  expect(deriveKey('root', 'other').equals(key)).toBe(false);
  expect(deriveKey('toor', 'test').equals(key)).toBe(false);
});

test('what is sealed opens, and never looks the same twice', () => {
  const sealed = seal(key, 'sk-sécret', 'provider a');
  expect(sealed).not.toContain('sk-');
  expect(seal(key, 'sk-sécret', 'provider a')).not.toBe(sealed);
  expect(open(key, sealed, 'provider a')).toBe('sk-sécret');
});

test('another key, another place or a changed byte does not open', () => {
  const sealed = seal(key, 'secret', 'provider a');
  expect(open(deriveKey('root', 'other'), sealed, 'provider a')).toBeNull();
  expect(open(key, sealed, 'provider b')).toBeNull();
  const changed = sealed[30] === 'A' ? 'B' : 'A';
  expect(open(key, sealed.slice(0, 30) + changed + sealed.slice(31), 'provider a')).toBeNull();
  expect(open(key, sealed.slice(0, 20), 'provider a')).toBeNull();
  expect(open(key, 'secret', 'provider a')).toBeNull();
});

test('the digest is HMAC-SHA256', () => {
  // RFC 4231, test case 2.
  expect(hmacSha256Hex(Buffer.from('Jefe'), 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('texts of any length are compared', () => {
  expect(timingSafeEqualText('token', 'token')).toBe(true);
  expect(timingSafeEqualText('token', 'tokem')).toBe(false);
  expect(timingSafeEqualText('token', 'token2')).toBe(false);
  expect(timingSafeEqualText('', '')).toBe(true);
});
