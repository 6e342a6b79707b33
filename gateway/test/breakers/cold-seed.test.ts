// The first call under a breaker asks how much was spent in the window so far. The answer is found among the caller's
// own calls, however many others have called in the same minute.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { asQueryable } from '../../src/modules/ledger/process-session.ts';
import { readCounter } from '../../src/modules/ledger/store/counters.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { fundedAccount, type LedgerBed, openBed, reserve } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';

const OTHERS = 3_000;
let bed: LedgerBed;

beforeAll(async () => {
  bed = await openBed();
});

afterAll(async () => {
  await bed.close();
});

test('what a minute has is read from the records of the accounts that were used in it, and nobody else', async () => {
  const { ledger, ...process } = await bed.startProcess();
  const accountId = await fundedAccount({ ledger, ...process }, 1_000n);
  const startMs = Math.floor(Date.now() / 60_000) * 60_000;
  const held = await reserve(ledger, accountId, 100n);
  const record = recordOf(held, 40n, { createdAtMs: startMs + 1 });
  await settled(ledger, held, record);
  await bed.folded();
  // Calls of other accounts in the same minute.
  await bed.rows(
    `insert into generations select (jsonb_populate_record(g, jsonb_build_object(
       'id', 'gen-other-' || n, 'account_id', 'usr-other-' || n, 'user_id', 'usr-other-' || n))).*
     from generations g cross join generate_series(1, ${OTHERS}) n`,
  );
  await bed.rows('analyze generations');
  const minuteOf = (userId: string): SpendCap => ({
    ...{ kind: 'breaker', scope: 'user', scopeId: userId, window: 'minute', limitNanoUsd: 1_000n, sinceMs: 0 },
    covers: { userIds: [userId] },
  });
  const client = await sessionsOf(bed.url)({});
  try {
    for (const [userId, spent] of [
      [record.userId, 40n],
      ['usr-new', 0n],
    ] as const) {
      await client.query('begin');
      const window = { id: `test ${userId}`, cap: minuteOf(userId), startMs, endMs: startMs + 60_000 };
      expect(await readCounter(asQueryable(client), window)).toBe(spent);
      const { rows } = await client.query(
        `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer as read
         from pg_stat_xact_user_tables where relname like 'generations%'`,
      );
      expect(rows[0].read).toBeLessThan(20);
      await client.query('rollback');
    }
  } finally {
    await client.end();
  }
});
