// A month ends while calls are made, with the clocks of gateways and database moved to its last moments. Every call is
// charged once, whether it was settled before midnight, after it, or journalled before and replayed after; every record
// and every charge lies in the month of its call; the month is sealed while calls go on, and archived whole.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { createUsageUpkeep, monthsAhead } from '../../src/modules/usage/upkeep.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type DatabaseDoor, openDoor } from './database-door.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, USD } from './fixture.ts';
import { recordOf, settled } from './record.ts';

const DAY_MS = 86_400_000;
/** Longer than the test takes: midnight comes only when the clocks are moved. */
const BEFORE_END_MS = 600_000;

const now = new Date();
/** The end of a month that is long over, so that the database itself agrees that it may be closed and archived. */
const END_MS = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 1);
const FIRST_DAY = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 4, 1)).toISOString().slice(0, 10);

let bed: LedgerBed;
let door: DatabaseDoor;
let clock: Clock;
let skippedMs = 0;

/** Entries are dated by the moved clock, too. */
async function skip(durationMs: number): Promise<void> {
  skippedMs += durationMs;
  const byMs = Math.round(clock.nowMs() - Date.now());
  await bed.rows(`alter table journal_entries alter created_at set default now() + ${byMs} * interval '1 millisecond'`);
}

beforeAll(async () => {
  bed = await openBed();
  door = await openDoor(bed.url);
  clock = { ...systemClock, nowMs: () => Date.now() + skippedMs };
  await skip(END_MS - BEFORE_END_MS - Date.now());
});

afterAll(async () => {
  await bed.close();
  await door.close();
});

type Made = { ids: Set<string>; isStopped: boolean };

/** One call after the other. A call that is not admitted while the database is away does not count. */
async function callUntilStopped({ ledger }: LedgerProcess, accountIds: readonly string[], made: Made): Promise<void> {
  for (let index = 0; !made.isStopped; index += 1) {
    const createdAtMs = clock.nowMs();
    const id = newTimedId('gen', createdAtMs);
    const accountId = accountIds[index % accountIds.length] ?? '';
    try {
      const held = await ledger.reserve(accountId, id, 1_000n);
      const record = recordOf(held, 10n, { createdAtMs });
      await clock.sleep(5);
      const { chargedNanoUsd } = await settled(ledger, held, record);
      expect(chargedNanoUsd).toBe(10n);
      made.ids.add(id);
    } catch {
      await clock.sleep(20);
    }
  }
}

test('a month ends under load: each call is charged once, none is lost, and the month is sealed behind it', async () => {
  const steady = await bed.startProcess({ clock });
  const cut = await bed.startProcess({ clock, url: door.url });
  const upkeep = createUsageUpkeep(steady.database);
  await upkeep.ensureMonths(clock.nowMs());
  const books = createBooks({ connect: sessionsOf(bed.url), database: steady.database, clock, logger: silentLogger });
  await books.ensureMonths(monthsAhead(clock.nowMs()));
  const accountIds = [await fundedAccount(steady, USD), await fundedAccount(steady, USD)];
  const made: Made = { ids: new Set(), isStopped: false };
  const callers = [steady, steady, steady, cut, cut, cut].map((one) => callUntilStopped(one, accountIds, made));

  // The database is away from before midnight until after it, and calls that end meanwhile are in the journal of their
  // process.
  await expect.poll(() => made.ids.size).toBeGreaterThan(20);
  const lateAtMs = clock.nowMs();
  const lateId = newTimedId('gen', lateAtMs);
  const late = await cut.ledger.reserve(accountIds[0] ?? '', lateId, 1_000n);
  await door.shut();
  // The call ends behind the shut door, so its charge cannot have reached the database before.
  await settled(cut.ledger, late, recordOf(late, 10n, { createdAtMs: lateAtMs }));
  made.ids.add(lateId);
  await expect.poll(() => cut.ledger.status().journaledSettlements).toBeGreaterThan(0);
  await skip(BEFORE_END_MS + 60_000);
  const sizeAtMidnight = made.ids.size;
  await expect.poll(() => made.ids.size).toBeGreaterThan(sizeAtMidnight + 20);
  await door.open();
  await expect.poll(() => cut.ledger.status()).toMatchObject({ isServing: true, journaledSettlements: 0 });
  const sizeAfter = made.ids.size;
  await expect.poll(() => made.ids.size).toBeGreaterThan(sizeAfter + 50);

  // Two days later the month is closed, with calls still being made. Until then it stays open.
  expect(await books.closeMonths()).toEqual([]);
  await skip(3 * DAY_MS);
  const checked = steady.ledger.check('everything');
  await expect.poll(() => books.closeMonths()).toEqual([FIRST_DAY]);
  expect((await checked).discrepancies).toEqual([]);
  expect((await steady.ledger.check('everything')).discrepancies).toEqual([]);
  made.isStopped = true;
  await Promise.all(callers);
  await bed.folded();

  const charged = await bed.rows<{ id: string; n: string }>(
    "select generation_id as id, count(*) as n from journal_entries where kind = 'charge' group by 1",
  );
  expect(charged.filter(({ n }) => n !== '1')).toEqual([]);
  expect(new Set(charged.map(({ id }) => id))).toEqual(made.ids);
  const [spans] = await bed.rows<Record<'before' | 'after' | 'late' | 'stray' | 'misplaced' | 'astray', string>>(
    `select count(*) filter (where e.created_at < $1) as before, count(*) filter (where e.created_at >= $1) as after,
            count(*) filter (where e.created_at >= $1 and g.created_at < $1) as late,
            count(*) filter (where g.tableoid = 'generations_default'::regclass) as stray,
            count(*) filter (where g.tableoid::regclass::text <> 'generations_' || to_char(g.created_at at time zone 'UTC', 'YYYY_MM')) as misplaced,
            count(*) filter (where e.tableoid::regclass::text <> 'journal_entries_' || to_char(g.created_at at time zone 'UTC', 'YYYY_MM')) as astray
     from journal_entries e join generations g on g.id = e.generation_id where e.kind = 'charge'`,
    [new Date(END_MS)],
  );
  expect(spans).toMatchObject({ stray: '0', misplaced: '0', astray: '0' });
  for (const part of ['before', 'after', 'late'] as const) expect(Number(spans?.[part]), part).toBeGreaterThan(0);

  const month = await books.checkMonth(FIRST_DAY);
  expect(month).toMatchObject({ entries: Number(spans?.before) + accountIds.length, discrepancies: [] });
  expect(await steady.ledger.check('everything')).toMatchObject({
    ok: true,
    entries: made.ids.size + accountIds.length,
    heldReservations: 0,
  });

  // The partition is dropped whole, except for charges entered after the month's end, which are not archived with it.
  const hash = createHash('sha256');
  for (const line of (await books.lines(FIRST_DAY, null))?.lines ?? []) hash.update(`${line}\n`);
  const archivist = createBooks({
    ...{ connect: sessionsOf(bed.url), database: steady.database, clock: systemClock, logger: silentLogger },
  });
  expect(await archivist.archive(FIRST_DAY, hash.digest('hex'))).toEqual({
    removed: Number(spans?.before),
    isDone: true,
  });
  const left = await bed.rows(
    `select tableoid::regclass::text as name, count(*) as n from journal_entries
     where kind = 'charge' and created_at >= $1 group by 1 order by 1`,
    [new Date(END_MS)],
  );
  const nextMonth = new Date(END_MS).toISOString().slice(0, 7).replace('-', '_');
  const inTime = String(Number(spans?.after) - Number(spans?.late));
  expect(left).toEqual([
    { name: `journal_entries_${nextMonth}`, n: inTime },
    { name: 'journal_entries_default', n: spans?.late },
  ]);
  expect(await steady.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
});
