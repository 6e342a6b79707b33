// Secrets that a gateway refuses to start with: those that an attacker would try first, and no others.

import { expect, test } from 'vitest';
import { weaknessOf } from './weak-secret.ts';

test.each([
  'admin',
  'changeme',
  'a-token',
  'aaaaaaaaaaaaaaaaaaaaaaaa',
  'abababababababababab',
  '1234567890123456',
  'abcdefghijklmnop',
  'qwertyuiopasdfgh',
  'password12345678',
  'changeme-changeme',
  'Secret-Secret-Secret',
  'tollgate-2026-01-01',
])('%s is refused', (secret) => {
  expect(weaknessOf(secret)).not.toBeNull();
});

test.each([
  'test-operator-token',
  'test-secret-test-secret-test-secret',
  'another-token',
  'bench-secret-bench-secret-bench-secret',
  'tg-admin-3kQd0Xy1',
  '0d3f9a1b5c7e2f48',
  'correct horse battery staple',
])('%s is not', (secret) => {
  expect(weaknessOf(secret)).toBeNull();
});
