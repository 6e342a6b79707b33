// A process whose claim on a line has run out while it still worked, because it could not reach the database or stood
// still, must not undo what the process that took the line up does: the line would be charged a second time.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Batches, createBatches, type DueLine } from '../../src/modules/batches/batches.ts';
import { createJobs } from '../../src/modules/batches/jobs.ts';
import { createLineSeal } from '../../src/modules/batches/sealing.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';

const LEASE_MS = 20_000;
const OWNER = { accountId: 'acc-1', userId: 'usr-1', keyId: 'key-1', network: '192.0.2.1' };
const RESULT = { content: Buffer.from('{"of":"result"}'), tokens: null };

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

const processOn = (on: Database): Batches =>
  createBatches({ database: on, clock, lineSeal, files: { read: () => [] as never }, linesAtOnce: 4, hasHadCredit });

async function claimed(batches: Batches): Promise<DueLine> {
  await batches.look();
  const [line] = await batches.claimLines(1, []);
  if (line === undefined) throw new Error('no line is due');
  return line;
}

/** A line that one process has claimed and lost, and another has taken up. */
async function takenUp() {
  const [slow, quick] = [processOn(database), processOn(database)];
  const lines = [{ customId: 'a', body: '{}' }];
  const batch = await slow.createOfLines({ ...OWNER, endpoint: '/v1/messages', lines });
  const lost = await claimed(slow);
  clock.move(LEASE_MS + 1);
  const line = await claimed(quick);
  expect(line).toMatchObject({ generationId: lost.generationId, batchId: batch?.id });
  return { slow, quick, lost, line };
}

async function resultOf(batches: Batches, { batchId }: DueLine): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of batches.results(batchId, { states: ['succeeded', 'failed'] })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('BILL-08 a line that another process has taken up is not put off as another call', async () => {
  const { slow, quick, lost, line } = await takenUp();
  await slow.postpone(lost, 0, false);
  expect(await quick.claimLines(1, [])).toEqual([]);
  await quick.answer(line, { isFailed: false, ...RESULT });
  expect(await resultOf(quick, line)).toBe('{"of":"result"}\n');
});

test('BILL-08 nor does it fail while the other may still charge it', async () => {
  const { slow, quick, lost, line } = await takenUp();
  await slow.answer(lost, { isFailed: true, content: Buffer.from('{"error":{}}'), tokens: null });
  await quick.answer(line, { isFailed: false, ...RESULT });
  expect(await resultOf(quick, line)).toBe('{"of":"result"}\n');
});

test('the answer of either process is kept, for it is the same call', async () => {
  const { slow, quick, lost, line } = await takenUp();
  await slow.answer(lost, { isFailed: false, ...RESULT });
  await quick.answer(line, { isFailed: true, content: Buffer.from('{"error":{}}'), tokens: null });
  expect(await resultOf(quick, line)).toBe('{"of":"result"}\n');
});

test('BILL-08 a job does not end for a process that has lost it', async () => {
  const jobs = createJobs({ database, clock, lineSeal, hasHadCredit });
  const job = await jobs.create({
    ...OWNER,
    ...{ endpoint: '/v1/messages', request: Buffer.from('{}'), callbackUrl: null, generationId: null },
  });
  const [slow, quick] = [processOn(database), processOn(database)];
  const lost = await claimed(slow);
  clock.move(LEASE_MS + 1);
  const line = await claimed(quick);
  await slow.answer(lost, { isFailed: true, ...RESULT });
  expect(await jobs.find(job?.id ?? '', OWNER)).toMatchObject({ status: 'running' });
  await quick.answer(line, { isFailed: false, ...RESULT });
  expect(await jobs.find(job?.id ?? '', OWNER)).toMatchObject({ status: 'completed' });
});

test('BILL-08 a job that was made while the connection to the database was lost is that job, and not a second one', async () => {
  const cut: Database = {
    query: (statement, values) => database.query(statement, values),
    transaction: async (run) => {
      await database.transaction(run);
      throw new Error('the answer to the commit was lost');
    },
    isReachable: () => true,
    close: async () => {},
  };
  const jobs = createJobs({ database: cut, clock, lineSeal, hasHadCredit });
  const order = { ...OWNER, endpoint: '/v1/messages', request: Buffer.from('{}'), callbackUrl: null };
  const generationId = 'gen-0123456789ab0123456789ab0123456789ab';
  expect(await jobs.create({ ...order, generationId })).toMatchObject({ status: 'running' });
  await expect(jobs.create({ ...order, generationId: null })).rejects.toThrow('lost');
  await database.query({ name: 'test_end_jobs', text: 'UPDATE batches SET ended_at = now()' });
});

test('BILL-08 a process that stood still before it named its line leaves it to the one that named it since', async () => {
  let named = (): void => {};
  const standing = new Promise<void>((resolve) => {
    named = resolve;
  });
  const held: Database = {
    query: async (statement, values) => {
      if (statement.name === 'batch_lines_name') await standing;
      return database.query(statement, values);
    },
    transaction: (run) => database.transaction(run),
    isReachable: () => true,
    close: async () => {},
  };
  const [slow, quick] = [processOn(held), processOn(database)];
  await quick.createOfLines({ ...OWNER, endpoint: '/v1/messages', lines: [{ customId: 'a', body: '{}' }] });
  await slow.look();
  const claiming = slow.claimLines(1, []);
  await new Promise<void>((resolve) => {
    const look = async (): Promise<void> => {
      clock.move(LEASE_MS + 1);
      await quick.look();
      const [line] = await quick.claimLines(1, []);
      if (line === undefined) setImmediate(() => void look());
      else {
        await quick.answer(line, { isFailed: false, ...RESULT });
        resolve();
      }
    };
    void look();
  });
  named();
  expect(await claiming).toEqual([]);
});
