// Unpaid cost across processes: one row for all of them, restrictions that every process hears of, and nothing is lost
// by a restart.

import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Exposure, openExposure } from '../../src/modules/limits/exposure.ts';
import { forgetStandings } from '../../src/modules/limits/store.ts';
import { type Queryable, sql } from '../../src/platform/db/database.ts';
import { FORGOTTEN_TOGETHER } from '../../src/platform/db/forget.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { SetClock } from './set-clock.ts';

const USD = 1_000_000_000n;
const START = '2026-03-10T12:00:00Z';
const START_MS = Date.parse(START);
const rules = { baseNanoUsd: USD, paidPercent: 10, recoveryMs: 86_400_000, blockMs: 600_000 };

const clock = new SetClock(START);
let fresh: FreshDatabase;
let first: Exposure;
let second: Exposure;
const ends: (() => Promise<void>)[] = [];
const money = { spendableNanoUsd: 10n * USD, paidNanoUsd: 0n, isAway: false };

async function startProcess(): Promise<Exposure> {
  const database = openDatabase(fresh.url, silentLogger);
  const notices = await openNotices(fresh.url, silentLogger);
  const exposure = await openExposure({
    ...{ database, notices, clock, logger: silentLogger, rules: () => rules },
    spendable: () => (money.isAway ? Promise.reject(new Error('the database is away')) : money.spendableNanoUsd),
    paidLately: async () => money.paidNanoUsd,
  });
  ends.push(async () => {
    await exposure.close();
    await notices.close();
    await database.close();
  });
  return exposure;
}

beforeAll(async () => {
  fresh = await freshDatabase();
});

beforeEach(async () => {
  clock.set(START);
  Object.assign(money, { spendableNanoUsd: 10n * USD, paidNanoUsd: 0n, isAway: false });
  first = await startProcess();
  second = await startProcess();
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

afterAll(() => fresh.drop());

const person = (): { accountId: string; userId: string } => {
  const id = crypto.randomUUID();
  return { accountId: id, userId: id };
};

const untilOf = (exposure: Exposure, who: ReturnType<typeof person>) => exposure.restrictionOf(who)?.untilMs;
const unpaidOf = async (exposure: Exposure, who: ReturnType<typeof person>) => (await exposure.view(who)).unpaidNanoUsd;

test('ABT-1 what two processes learn adds up, and restricts once, in both', async () => {
  const who = person();
  first.add(who, (3n * USD) / 2n, 'abandoned');
  await expect.poll(() => unpaidOf(second, who)).toBe((3n * USD) / 2n);
  expect(second.restrictionOf(who)).toBeNull();
  first.add(who, USD, 'abandoned');
  second.add(who, USD, 'abandoned');
  await expect.poll(() => untilOf(first, who)).toBe(START_MS + 600_000);
  await expect.poll(() => untilOf(second, who)).toBe(START_MS + 600_000);
  expect((await second.view(who)).restrictions).toBe(1);
});

test('ABT-1 a process that starts knows who is restricted, for how long, and what they had left unpaid', async () => {
  const [restricted, warned] = [person(), person()];
  first.add(restricted, 5n * USD, 'oversize');
  first.add(warned, USD, 'abandoned');
  await expect.poll(() => untilOf(second, restricted)).toBe(START_MS + 600_000);
  await expect.poll(() => unpaidOf(second, warned)).toBe(USD);
  clock.set('2026-03-10T12:06:00Z');
  const third = await startProcess();
  expect(third.restrictionOf(restricted)).toEqual({ untilMs: START_MS + 600_000, reason: 'oversize' });
  expect(await unpaidOf(third, warned)).toBeGreaterThan((98n * USD) / 100n);
  clock.set('2026-03-10T12:10:00Z');
  expect(third.restrictionOf(restricted)).toBeNull();
  third.add(restricted, 5n * USD, 'abandoned');
  await expect.poll(() => untilOf(first, restricted)).toBe(START_MS + 600_000 + 3_600_000);
});

test('what an operator lifts or raises counts everywhere', async () => {
  const who = person();
  first.add(who, 5n * USD, 'abandoned');
  await expect.poll(() => second.restrictionOf(who)).not.toBeNull();
  clock.set('2026-03-10T12:00:01Z');
  await first.lift(who);
  await first.raise(who, 5n * USD);
  await expect.poll(() => second.restrictionOf(who)).toBeNull();
  await expect.poll(async () => (await second.view(who)).allowanceNanoUsd).toBe(7n * USD);
  expect(await second.view(who)).toMatchObject({ restrictions: 0, unpaidNanoUsd: 0n });
});

test('the allowance grows with what was paid, where that is more than what is left', async () => {
  const who = person();
  Object.assign(money, { spendableNanoUsd: USD, paidNanoUsd: 100n * USD });
  expect((await first.view(who)).allowanceNanoUsd).toBe(11n * USD);
  first.add(who, 10n * USD, 'abandoned');
  await expect.poll(() => unpaidOf(second, who)).toBe(10n * USD);
  expect(first.restrictionOf(who)).toBeNull();
});

const holding = (heldNanoUsd: bigint) => ({ heldNanoUsd, leastNanoUsd: heldNanoUsd / 5n });

test('a member who misbehaves does not keep the others of an organization out, and all of them together are bounded', async () => {
  const accountId = crypto.randomUUID();
  const member = (userId: string) => ({ accountId, userId });
  first.add(member('ann'), 50n * USD, 'abandoned');
  await expect.poll(() => second.restrictionOf(member('ann'))).not.toBeNull();
  expect(second.restrictionOf(member('ben'))).toBeNull();
  expect(await second.begin(member('ben'), holding(USD))).toBe(0);
  second.end(member('ben'), holding(USD));
  for (const name of ['cid', 'dan']) {
    first.add(member(name), 50n * USD, 'abandoned');
    await expect.poll(() => second.restrictionOf(member(name))).not.toBeNull();
  }
  await expect.poll(async () => second.begin(member('ben'), holding(USD))).toBeGreaterThan(0);
  await second.lift(member('ann'));
  await expect.poll(async () => second.begin(member('ben'), holding(USD))).toBe(0);
});

test('calls under way count until they end, and a refused one does not', async () => {
  const who = person();
  expect(await first.begin(who, holding(10n * USD))).toBe(0);
  expect(await first.begin(who, holding(USD))).toBe(2_000);
  expect((await first.view(who)).inFlightNanoUsd).toBe(10n * USD);
  first.end(who, holding(10n * USD));
  expect(await first.begin(who, holding(USD))).toBe(0);
  first.end(who, holding(USD));
  expect(first.figures().inFlightNanoUsd).toBe(0n);
  expect(await first.begin(who, holding(0n))).toBe(0);
});

test('a balance that cannot be read ends neither the call nor the process', async () => {
  const unheard = vi.fn();
  process.on('unhandledRejection', unheard);
  money.isAway = true;
  const large = { heldNanoUsd: 100n * USD, leastNanoUsd: 100n * USD };
  expect(await first.begin(person(), large)).toBe(0);
  // A rejection that nobody hears of is reported after the round in which it came.
  await setImmediate();
  await setImmediate();
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
});

const fillStatement = sql(
  'fill_exposures',
  `insert into exposures (account_id, user_id, level_at, extra_nano_usd)
   select 'past', place::text, case when place = 1 then $1::timestamptz else '2020-01-01' end, (place = 0)::integer
   from generate_series(0, $2::integer) as place`,
);
const leftStatement = sql(
  'left_exposures',
  "select user_id as name from exposures where account_id = 'past' order by 1",
);

test('old rows are removed in parts that each fit into the time of a statement, and others stay', async () => {
  const database = openDatabase(fresh.url, silentLogger);
  await database.query(fillStatement, [new Date(START_MS), FORGOTTEN_TOGETHER + 2]);
  let parts = 0;
  const counting: Queryable = {
    query<Row extends object>(...asked: Parameters<Queryable['query']>) {
      parts += 1;
      return database.query<Row>(...asked);
    },
  };
  await forgetStandings(counting, START_MS - 86_400_000);
  expect(parts).toBe(2);
  expect(await database.query(leftStatement)).toEqual([{ name: '0' }, { name: '1' }]);
  await database.close();
});
