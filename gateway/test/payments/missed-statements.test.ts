// Statements that were not issued when their month had ended, because no gateway ran or something failed: they are
// issued later, a bounded time in each round, and without looking at every organization again and again.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { createStatements, type Statements } from '../../src/modules/orgs/statements.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';

let bed: LedgerBed;
let process: LedgerProcess;

beforeAll(async () => {
  bed = await openBed();
  process = await bed.startProcess();
});

afterAll(() => bed.close());

type Wall = { nowMs: number };

/** `before` is called when a statement is about to be issued. */
function statementsAt(wall: Wall, before: (orgId: unknown) => void = () => {}): Statements {
  const database: Database = {
    transaction: (work) => process.database.transaction(work),
    isReachable: () => true,
    close: async () => {},
    async query(statement, values) {
      if (statement.name === 'orgs_issue_statement') before(values?.[0]);
      return process.database.query(statement, values);
    },
  };
  const clock: Clock = { ...systemClock, nowMs: () => wall.nowMs };
  const { inSession } = createBooks({ connect: sessionsOf(bed.url), database, clock, logger: silentLogger });
  return createStatements({ database, inSession, ledger: process.ledger, clock, logger: silentLogger });
}

/** Each test has a year of its own, before those of the tests above it, so that it sees no others' organizations. */
async function organization(id: string, createdAt: string): Promise<void> {
  await bed.rows("insert into accounts (id, kind, credit_line_nano_usd) values ($1, 'monthly', 1000)", [id]);
  await bed.rows("insert into organizations (id, name, created_at) values ($1, 'Acme', $2)", [id, createdAt]);
}

const charge = (orgId: string, amountNanoUsd: number, at: string) =>
  bed.rows(
    `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, created_at)
     values ($1, 'system-revenue', $2, 'charge', $3, $4)`,
    [orgId, amountNanoUsd, crypto.randomUUID(), at],
  );

const issued = (orgId: string) =>
  bed.rows(
    `select to_char(month, 'YYYY-MM') as month, total_nano_usd as total from statements where org_id = $1 order by month`,
    [orgId],
  );

test('BILL-13 months that were not issued in time are issued later, however old they are', async () => {
  await organization('org-late', '2019-02-10T00:00:00Z');
  await charge('org-late', 3, '2019-02-11T00:00:00Z');
  await charge('org-late', 5, '2019-04-30T23:59:59Z');
  const wall = { nowMs: Date.parse('2019-05-01T00:30:00Z') };
  const statements = statementsAt(wall);
  await statements.catchUp();
  const early = [
    { month: '2019-02', total: '3' },
    { month: '2019-03', total: '0' },
  ];
  expect(await issued('org-late')).toEqual(early);
  wall.nowMs += 1_800_000;
  await statements.catchUp();
  expect(await issued('org-late')).toEqual([...early, { month: '2019-04', total: '5' }]);
});

test('BILL-13 a statement that failed is tried again in an hour, and nobody looks for it before', async () => {
  await organization('org-failed', '2018-02-10T00:00:00Z');
  const wall = { nowMs: Date.parse('2018-03-02T00:00:00Z') };
  let tries = 0;
  const statements = statementsAt(wall, () => {
    tries += 1;
    if (tries === 1) throw new Error('failed');
  });
  await statements.catchUp();
  wall.nowMs += 15_000;
  await statements.catchUp();
  expect([tries, await issued('org-failed')]).toEqual([1, []]);
  wall.nowMs += 3_600_000;
  await statements.catchUp();
  expect(await issued('org-failed')).toEqual([{ month: '2018-02', total: '0' }]);
});

test('BILL-13 a round that takes long leaves the rest to the next ones', async () => {
  const names = ['org-long-1', 'org-long-2', 'org-long-3'];
  for (const name of names) await organization(name, '2017-02-10T00:00:00Z');
  const wall = { nowMs: Date.parse('2017-03-02T00:00:00Z') };
  const inOrder: unknown[] = [];
  const statements = statementsAt(wall, (orgId) => {
    inOrder.push(orgId);
    wall.nowMs += 60_000;
  });
  for (const round of [1, 2, 3]) {
    await statements.catchUp();
    expect(inOrder).toEqual(names.slice(0, round));
  }
});
