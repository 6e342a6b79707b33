// For tests that look at balances, counters and sums in their tables: the charges of recent calls are there once they
// are folded.

import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

const TIMEOUT_MS = PATIENCE_MS;

/** `rows` runs plain SQL. */
export async function folded(rows: (text: string) => Promise<readonly object[]>): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while ((await rows('select process_id from unfolded_batches limit 1')).length > 0) {
    if (performance.now() > endMs) throw new Error('charges were not folded in time');
    await sleep(20);
  }
}
