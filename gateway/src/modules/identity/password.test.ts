// Hashes that set a password must not delay those that compare one: a person who sets dozens of passwords waits only
// for their own.

import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

test('a flood of passwords that are set does not stop one that is compared, even from the same source', async () => {
  const stored = await hashPassword('correct horse', 'somewhere');
  let set = 0;
  const flood = Array.from({ length: 12 }, async () => {
    await hashPassword('battery staple', 'somewhere');
    set += 1;
  });
  expect(await verifyPassword('correct horse', stored, 'somewhere')).toBe(true);
  expect(set).toBeLessThan(6);
  await Promise.all(flood);
});

test('where nothing is stored, nothing is right', async () => {
  expect(await verifyPassword('', null, 'somewhere')).toBe(false);
});
