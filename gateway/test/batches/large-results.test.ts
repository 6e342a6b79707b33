// Large answers to the lines of a batch: they are read a few at a time, and what an account may keep of them is bounded.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Batches, createBatches } from '../../src/modules/batches/batches.ts';
import { KeptResults } from '../../src/modules/batches/kept-results.ts';
import { createLineSeal } from '../../src/modules/batches/sealing.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const DAY_MS = 86_400_000;
const OWNER = { accountId: 'acc-1', userId: 'usr-1', keyId: 'key-1' };
const LINES = 10;

/** Those that have had credit. */
const credited = new Set([OWNER.accountId]);
const hasHadCredit = async (accountId: string): Promise<boolean> => credited.has(accountId);
const clock = new ShiftedClock();

let fresh: FreshDatabase;
let database: Database;
let batches: Batches;
/** The most that one statement has brought. */
let broughtBytes = 0;

beforeAll(async () => {
  fresh = await freshDatabase();
  const opened = openDatabase(fresh.url, silentLogger);
  const query: Database['query'] = async (statement, values) => {
    const rows = await opened.query(statement, values);
    const buffers = rows.flatMap((row) => Object.values(row as object)).filter((value) => Buffer.isBuffer(value));
    broughtBytes = Math.max(
      broughtBytes,
      buffers.reduce((sum, { length }) => sum + length, 0),
    );
    return rows as never;
  };
  database = new Proxy(opened, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)) });
  const lineSeal = createLineSeal(randomBytes(32));
  const files = { read: () => [] as never };
  batches = createBatches({ database, clock, lineSeal, files, linesAtOnce: LINES * 2, hasHadCredit });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const make = (owner = OWNER) => {
  const lines = Array.from({ length: LINES }, (_, index) => ({ customId: `line ${index}`, body: '{}' }));
  return batches.createOfLines({ ...owner, network: '192.0.2.1', endpoint: '/v1/messages', lines });
};

test('DOS-1 results are read a few megabytes at a time, however large each is, and all of them come', async () => {
  const batch = await make();
  await batches.look();
  for (const line of await batches.claimLines(LINES, [])) {
    const content = Buffer.alloc(3 * MIB, line.customId);
    await batches.answer(line, { isFailed: false, content, tokens: null });
  }
  broughtBytes = 0;
  const beginnings: string[] = [];
  for await (const result of batches.results(String(batch?.id), { states: ['succeeded'] })) {
    beginnings.push(result.toString('utf8', 0, 6));
  }
  expect(beginnings).toEqual(Array.from({ length: LINES }, (_, index) => `line ${index}`));
  expect(broughtBytes).toBeLessThan(12 * MIB);
});

async function keep(accountId: string, bytes: number): Promise<void> {
  const insert = `insert into files (id, account_id, user_id, purpose, file_name, bytes, batch_id, created_at, expires_at)
     values ('file-' || $1, $1, $1, 'batch_output', 'out.jsonl', $2, 'batch-1', now(), now() + interval '1 day')
     on conflict (id) do update set bytes = excluded.bytes`;
  await database.query({ name: 'test_insert', text: insert }, [accountId, bytes]);
}

test('DOS-1 an account that keeps ten gigabytes of results makes no further batch', async () => {
  await keep(OWNER.accountId, 9 * GIB);
  await expect(make()).resolves.not.toBe(null);
  await keep(OWNER.accountId, 10 * GIB);
  await expect(make()).rejects.toMatchObject({ status: 429, isTerminal: true });
});

test('DOS-1 one that never had credit keeps a hundredth of that, and has two batches under way', async () => {
  const owner = { accountId: 'acc-new', userId: 'usr-new', keyId: 'key-new' };
  await keep(owner.accountId, 100 * MIB);
  await expect(make(owner)).rejects.toMatchObject({ status: 429, isTerminal: true });
  await keep(owner.accountId, 99 * MIB);
  expect([await make(owner), await make(owner), await make(owner)].map((batch) => batch !== null)).toEqual([
    ...[true, true, false],
  ]);
  credited.add(owner.accountId);
  await keep(owner.accountId, 100 * MIB);
  expect(await make(owner)).not.toBe(null);
});

test('DOS-1 lines without an answer count too, and so do batches that were cancelled at once', async () => {
  const owner = { accountId: 'acc-loop', userId: 'usr-loop', keyId: 'key-loop' };
  await keep(owner.accountId, 100 * MIB - 1);
  await make(owner);
  await expect(make(owner)).rejects.toMatchObject({ status: 429, isTerminal: true });
  const insert = `insert into batches
       (id, account_id, user_id, key_id, endpoint, input_file_id, status, created_at, expires_at, due_at, ended_at)
     select 'batch-loop-' || n, $1, $1, '', '', '', 'cancelled', $2, $2, $2, $2 from generate_series(1, 99) n`;
  const made = { ...owner, accountId: 'acc-day' };
  await database.query({ name: 'test_loop', text: insert }, [made.accountId, new Date(clock.nowMs())]);
  await make(made);
  await expect(make(made)).rejects.toThrow('within a day');
  credited.add(made.accountId);
  expect(await make(made)).not.toBe(null);
});

test('DOS-1 where so much has come within a day, the other lines of the account wait', async () => {
  const results = new KeptResults({ hasHadCredit, clock });
  const [loud, quiet, free] = [OWNER.accountId, 'acc-quiet', 'acc-free'];
  const thatMay = (nowMs: number) => results.thatMayHaveMore([loud, quiet, free], nowMs);
  for (const accountId of [loud, free]) results.note(accountId, 100 * MIB - 1, 0);
  expect(await thatMay(1)).toEqual([loud, quiet, free]);
  for (const accountId of [loud, free]) results.note(accountId, 1, 1);
  expect(await thatMay(2)).toEqual([loud, quiet]);
  results.note(loud, 10 * GIB - 100 * MIB, 2);
  expect(await thatMay(3)).toEqual([quiet]);
  expect(await thatMay(DAY_MS)).toEqual([loud, quiet, free]);
});
