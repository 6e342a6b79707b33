// For tests that look at balances, counters and sums in their tables: calls that were answered a moment ago are there
// once they are folded.

import { expect } from 'vitest';

/** `rows` runs plain SQL. */
export const folded = (rows: (text: string) => Promise<readonly object[]>): Promise<void> =>
  expect.poll(() => rows('select process_id from unfolded_batches'), { timeout: 30_000, interval: 20 }).toEqual([]);
