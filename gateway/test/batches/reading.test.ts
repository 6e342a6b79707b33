// Batches that several processes look at, that are cancelled while their file is read, or whose files are so large that
// reading or removing them takes long.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Batches, createBatches } from '../../src/modules/batches/batches.ts';
import { createFiles } from '../../src/modules/batches/files.ts';
import { createLineSeal } from '../../src/modules/batches/sealing.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';

const ENDPOINT = '/v1/chat/completions';
const MONTH_MS = 31 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
const LOOK_MS = 1_001;

let fresh: FreshDatabase;
let database: Database;
const clock = new ShiftedClock();
const lineSeal = createLineSeal(randomBytes(32));
const hasHadCredit = async () => true;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const textOf = (lines: number): Buffer =>
  Buffer.from(
    Array.from(
      { length: lines },
      (_, index) => `${JSON.stringify({ custom_id: `line-${index}`, method: 'POST', url: ENDPOINT, body: {} })}\n`,
    ).join(''),
  );

/** A process; `read` gives the bytes of the file with this name. */
const processOn = (
  on: Database,
  read: (fileId: string) => AsyncIterable<Buffer> = async function* () {
    yield textOf(3);
  },
): Batches => createBatches({ database: on, clock, lineSeal, files: { read }, linesAtOnce: 4, hasHadCredit });

let accounts = 0;
function owner(): Readonly<{ accountId: string; userId: string }> {
  accounts += 1;
  return { accountId: `acc-${accounts}`, userId: `usr-${accounts}` };
}

async function create(batches: Batches, of = owner(), inputFileId = 'file-1') {
  const batch = await batches.create({
    ...{
      ...of,
      keyId: 'key-1',
      network: '192.0.2.1',
      endpoint: ENDPOINT,
      inputFileId,
      metadata: null,
      resultsKeptSeconds: null,
    },
  });
  if (batch === null) throw new Error('no batch was made');
  return { id: batch.id, form: 'file', ...of } as const;
}

const count = async (text: string, id: string): Promise<number> =>
  (await database.query({ name: `test_${text}`, text: `SELECT 1 FROM ${text} = $1` }, [id])).length;
const linesOf = (id: string): Promise<number> => count('batch_lines WHERE batch_id', id);
const filesOf = (id: string): Promise<number> => count('files WHERE batch_id', id);

async function runAll(batches: Batches): Promise<void> {
  await batches.look();
  for (;;) {
    const lines = await batches.claimLines(10, []);
    if (lines.length === 0) return;
    for (const line of lines) await batches.answer(line, { isFailed: false, content: Buffer.from('{}'), tokens: null });
  }
}

/** A gate before the statements with this name, and how many are before it. */
function stopped(name: string): Readonly<{ on: Database; isReached: Promise<void>; goOn(): void }> {
  let reached = (): void => {};
  let goOn = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const isOpen = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const on: Database = {
    ...database,
    query: async (statement, values) => {
      if (statement.name === name) {
        reached();
        await isOpen;
      }
      return database.query(statement, values);
    },
  };
  return { on, isReached, goOn };
}

test('a batch that two processes end at the same moment has its results once', async () => {
  const { on, isReached, goOn } = stopped('batches_counts');
  const [quick, slow] = [processOn(database), processOn(on)];
  const batch = await create(quick);
  expect(await quick.readNext()).toBe(true);
  await runAll(quick);
  clock.move(LOOK_MS);
  const looking = slow.look();
  await isReached;
  clock.move(LOOK_MS);
  await quick.look();
  goOn();
  await looking;
  const ended = await quick.find(batch);
  expect(ended).toMatchObject({ status: 'completed', succeeded: 3 });
  expect(await filesOf(batch.id)).toBe(1);
});

test('a batch that is cancelled while its file is read keeps no lines, and neither does one that cannot be run', async () => {
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let reached = (): void => {};
  const isHalf = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const slow = processOn(database, async function* () {
    yield textOf(600);
    reached();
    await isGoingOn;
    yield Buffer.from(textOf(1_200).toString().replaceAll('line-', 'more-'));
  });
  const batch = await create(slow);
  const reading = slow.readNext();
  await isHalf;
  expect(await slow.cancel(batch)).toBe(true);
  const quick = processOn(database);
  await expect
    .poll(async () => {
      clock.move(LOOK_MS);
      await quick.look();
      return (await quick.find(batch))?.status;
    })
    .toBe('cancelled');
  goOn();
  await reading;
  expect(await linesOf(batch.id)).toBe(0);
  const wrong = processOn(database, async function* () {
    yield textOf(600);
    yield Buffer.from('{}\n');
  });
  const failed = await create(wrong);
  await wrong.readNext();
  expect(await wrong.find(failed)).toMatchObject({ status: 'failed', errors: [{ line: 601 }] });
  expect(await linesOf(failed.id)).toBe(0);
});

async function ended(batches: Batches, batch: Awaited<ReturnType<typeof create>>) {
  await expect
    .poll(async () => {
      clock.move(LOOK_MS);
      await batches.look();
      return (await batches.find(batch))?.endedAt ?? null;
    })
    .not.toBe(null);
  return batches.find(batch);
}

test('DOS-1 lines that have no turn go with the end of their batch, which still tells how many there were', async () => {
  const batches = processOn(database);
  const [cancelled, late] = [await create(batches), await create(batches)];
  while (await batches.readNext());
  await batches.look();
  for (const line of await batches.claimLines(2, []))
    await batches.answer(line, { isFailed: false, content: Buffer.from('{}'), tokens: null });
  await batches.cancel(cancelled);
  const counts = { lineCount: 3, succeeded: 1, failed: 0 };
  expect(await ended(batches, cancelled)).toMatchObject({ status: 'cancelled', ...counts });
  clock.move(DAY_MS);
  expect(await ended(batches, late)).toMatchObject({ status: 'expired', ...counts });
  expect([await linesOf(cancelled.id), await linesOf(late.id)]).toEqual([1, 1]);
});

test('DOS-1 results that are deleted leave no lines, and the batch tells what became of them', async () => {
  const batches = processOn(database);
  const batch = await create(batches);
  while (await batches.readNext());
  await batches.look();
  const tokens = { input: 2, cached: 0, output: 1, reasoning: 0 };
  const lines = await batches.claimLines(4, []);
  for (const [index, line] of lines.entries())
    await batches.answer(line, {
      isFailed: index === 0,
      content: Buffer.from('{}'),
      tokens: index === 0 ? null : tokens,
    });
  const told = { succeeded: 2, failed: 1, tokens: { input: 4, cached: 0, output: 2, reasoning: 0 } };
  const over = await ended(batches, batch);
  expect(over).toMatchObject(told);
  const files = createFiles({ database, clock, sealingKey: randomBytes(32), hasHadCredit });
  await files.remove(over?.errorFileId ?? '', batch);
  expect(await linesOf(batch.id)).toBe(2);
  await files.remove(over?.outputFileId ?? '', batch);
  expect(await linesOf(batch.id)).toBe(0);
  expect(await batches.find(batch)).toMatchObject(told);
});

test('files are read in turns of the accounts, and lines of others are run meanwhile', async () => {
  const order: string[] = [];
  const batches = processOn(database, async function* (fileId) {
    order.push(fileId);
    yield textOf(1);
  });
  const [greedy, modest] = [owner(), owner()];
  for (const name of ['greedy-1', 'greedy-2', 'greedy-3']) await create(batches, greedy, name);
  await create(batches, modest, 'modest-1');
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const slow = processOn(database, async function* (fileId) {
    order.push(fileId);
    await isGoingOn;
    yield textOf(1);
  });
  const reading = slow.readNext();
  await expect.poll(() => order).toEqual(['greedy-1']);
  expect(await batches.readNext()).toBe(true);
  expect(order).toEqual(['greedy-1', 'modest-1']);
  await slow.look();
  const [line] = await slow.claimLines(1, []);
  expect(line).toMatchObject({ accountId: modest.accountId });
  goOn();
  await reading;
  while (await batches.readNext());
  expect(order.slice(2)).toEqual(['greedy-2', 'greedy-3']);
});

test('one batch that cannot be ended keeps no other from its end', async () => {
  const batches = processOn(database);
  await runAll(batches);
  const [broken, whole] = [await create(batches), await create(batches)];
  while (await batches.readNext());
  await runAll(batches);
  const failing = processOn({
    ...database,
    query: (statement, values) =>
      statement.name === 'batch_lines_open' && values?.[0] === broken.id
        ? Promise.reject(new Error('broken'))
        : database.query(statement, values),
  });
  clock.move(LOOK_MS);
  await expect(failing.look()).rejects.toThrow('broken');
  expect(await batches.find(whole)).toMatchObject({ status: 'completed' });
});

test('results and batches are removed one by one, because each may have 50,000 lines', async () => {
  const batches = processOn(database);
  for (let made = 0; made < 3; made += 1) await create(batches);
  while (await batches.readNext());
  await runAll(batches);
  clock.move(LOOK_MS);
  await batches.look();
  clock.move(MONTH_MS);
  const removed: number[] = [];
  const counting: Database = {
    ...database,
    async query(statement, values) {
      const rows = await database.query(statement, values);
      if (/^(?:files|batches)_sweep$/.test(statement.name)) removed.push(rows.length);
      return rows as never;
    },
  };
  const sealingKey = randomBytes(32);
  expect(await createFiles({ database: counting, clock, sealingKey, hasHadCredit }).sweep()).toBeGreaterThanOrEqual(3);
  expect(await processOn(counting).sweep()).toBeGreaterThanOrEqual(3);
  expect(Math.max(...removed)).toBe(1);
});
