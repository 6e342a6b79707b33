// How much an account may keep of answers that can be repeated.

import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { createRepeats } from './repeats.ts';

const MIB = 1024 * 1024;

/** What becomes of a new call of an account that keeps so much. */
async function stateOf(bytes: number, isCredited: boolean): Promise<string> {
  const query: Database['query'] = async ({ name }) => {
    const calledAt = new Date();
    const rows = new Map<string, unknown>([
      ['repeats_kept', { calls: 1n, bytes: BigInt(bytes) }],
      ['repeats_claim', { generationId: 'gen-1', calledAt }],
    ]);
    return (rows.has(name) ? [rows.get(name)] : []) as never;
  };
  const keys = { hashKey: Buffer.alloc(32), sealingKey: Buffer.alloc(32) };
  const repeats = createRepeats({
    ...{ database: { query } as Database, clock: systemClock, ...keys },
    hasHadCredit: async () => isCredited,
  });
  const key = { accountId: 'acc-1', keyId: 'key-1', idempotencyKey: 'a', body: ['{}'] };
  return (await repeats.claim(repeats.nameOf(key))).kind;
}

test('DOS-1 an account that never had credit has room for an eighth of the answers', async () => {
  expect(await stateOf(32 * MIB - 1, false)).toBe('mine');
  expect(await stateOf(32 * MIB, false)).toBe('full');
  expect(await stateOf(32 * MIB, true)).toBe('mine');
  expect(await stateOf(256 * MIB, true)).toBe('full');
});
