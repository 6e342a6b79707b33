// Ids that carry their time sort by it, and tell nothing else.

import { expect, test } from 'vitest';
import { newTimedId } from './ids.ts';

test('GEN-01 ids with a time sort in its order, and have as much chance in them as any id', () => {
  const times = [0, 1, 255, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((timeMs) => newTimedId('gen', timeMs));
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^gen-[0-9a-f]{36}$/);
  const together = new Set(Array.from({ length: 10_000 }, () => newTimedId('gen', 1_700_000_000_000)));
  expect(together.size).toBe(10_000);
  const places = new Set(Array.from(together, (id) => id.slice(-24, -20)));
  expect(places.size).toBeGreaterThan(5_000);
});
