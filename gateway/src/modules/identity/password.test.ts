// Slow hashes of one kind must not stand in the way of the other: whoever sets passwords by the dozen waits for that
// alone.

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
