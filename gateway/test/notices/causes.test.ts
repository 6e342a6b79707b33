// Looking for causes of notices where something of it fails: the rest is looked for and told all the same, and what
// could not be done is done later.

import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOwnerNotices, type OwnerNotices } from '../../src/modules/notices/notices.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';

const ROUND_MS = 31_000;
const HOUR_MS = 3_600_000;

let fresh: FreshDatabase;
let database: Database;
let client: Client;
let clock: ShiftedClock;
let checks: number;
let checkBooks: () => Promise<readonly string[]>;
let notices: OwnerNotices;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
  client = new Client({ connectionString: fresh.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.close();
  await fresh.drop();
});

beforeEach(async () => {
  await client.query('truncate notices, notice_addresses, notice_rounds, notice_deliveries, exposures');
  clock = new ShiftedClock();
  clock.stop();
  checks = 0;
  checkBooks = async () => [];
  notices = createOwnerNotices({
    database,
    clock,
    logger: silentLogger,
    checkBooks: () => {
      checks += 1;
      return checkBooks();
    },
  });
});

const wish = (...kinds: string[]) =>
  client.query(
    `insert into notice_addresses (id, owner_kind, owner_id, channel, target, shown, kinds, created_at)
     values ('adr-1', 'operator', '', 'mail', 'sealed', 'ops@example.test', $1, now() - interval '1 day')`,
    [kinds],
  );

const told = async (): Promise<unknown[]> => (await client.query('select kind from notices')).rows;

test('a kind of cause that cannot be read keeps no other from being told, and is reported', async () => {
  await wish('account.restricted', 'top_up.failed', 'books.differ');
  // No time that can be written as a number, so that the look for restrictions fails.
  await client.query(
    `insert into exposures (account_id, user_id, level_at, restricted_at) values ('usr-1', 'usr-1', now(), 'infinity')`,
  );
  await client.query(
    `insert into payment_events (provider, event_id, order_id, kind, outcome)
     values ('stripe', 'evt-1', 'ord-1', 'paid', 'unknown_order')`,
  );
  checkBooks = async () => ['an account differs'];
  await expect(notices.look()).rejects.toThrow(/out of range|infinit/);
  expect(await told()).toEqual(expect.arrayContaining([{ kind: 'top_up.failed' }, { kind: 'books.differ' }]));
});

test('books are checked once a day, and a check that could not be made is made an hour later', async () => {
  await wish('books.differ');
  checkBooks = () => Promise.reject(new Error('entries are being written'));
  await expect(notices.look()).rejects.toThrow('entries are being written');
  checkBooks = async () => ['an account differs'];
  clock.move(ROUND_MS);
  await notices.look();
  expect([checks, await told()]).toEqual([1, []]);
  clock.move(HOUR_MS);
  await notices.look();
  expect([checks, await told()]).toEqual([2, [{ kind: 'books.differ' }]]);
  clock.move(23 * HOUR_MS);
  await notices.look();
  expect(checks).toBe(2);
  clock.move(HOUR_MS);
  await notices.look();
  expect(checks).toBe(3);
});
