// Feeds in which very much waits: it is removed a part at a time, because one statement for all of it would run out of
// time, and be tried in vain for ever.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR_FEEDS } from '../../src/modules/feeds/feed.ts';
import { createFeeds } from '../../src/modules/feeds/feeds.ts';
import { postponeFeed, sweepItems } from '../../src/modules/feeds/store/items.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, sql } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';

const AT_ONCE = 20_000;
const ITEMS = 45_000;

let fresh: FreshDatabase;
let database: Database;
/** How many items each statement has removed. */
let removed: number[];
let feedId: string;

beforeAll(async () => {
  fresh = await freshDatabase();
  const opened = openDatabase(fresh.url, silentLogger);
  database = {
    ...opened,
    async query(statement, values) {
      const rows = await opened.query<{ items: number }>(statement, values);
      if (statement.name === 'feeds_drop_items') removed.push(rows[0]?.items ?? 0);
      return rows as never;
    },
  };
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});
beforeEach(async () => {
  removed = [];
  feedId = `fed-${randomBytes(8).toString('hex')}`;
  await database.query(
    sql(
      'test_add_feed',
      `INSERT INTO call_feeds (owner_kind, owner_id, id, name, form, host, settings, is_enabled, created_at, next_attempt_at)
       VALUES ('operator', '', $1, 'Ours', 'http', 'feeds.example', '', true, now(), now())`,
    ),
    [feedId],
  );
  await database.query(
    sql(
      'test_add_items',
      `INSERT INTO call_feed_items (feed_id, generation_id, called_at)
       SELECT $1, 'gen-' || lpad(n::text, 24, '0'), now() FROM generate_series(1, ${ITEMS}) n`,
    ),
    [feedId],
  );
});

async function waiting(): Promise<number> {
  const count = sql('test_count_items', 'SELECT count(*)::integer AS items FROM call_feed_items WHERE feed_id = $1');
  return (await database.query<{ items: number }>(count, [feedId]))[0]?.items ?? 0;
}

async function lost(): Promise<number> {
  const read = sql('test_read_lost', 'SELECT lost_count::integer AS lost FROM call_feeds WHERE id = $1');
  return (await database.query<{ lost: number }>(read, [feedId]))[0]?.lost ?? 0;
}

const feeds = () =>
  createFeeds({
    ...{ database, clock: systemClock, secretKey: randomBytes(32), purpose: {}, folder: '' },
    outbound: {} as never,
  });

test('a feed that is switched off forgets all of it, and so does one that is deleted', async () => {
  await feeds().change(OPERATOR_FEEDS, feedId, { isEnabled: false }, async () => {});
  expect([await waiting(), await lost()]).toEqual([0, 0]);
  expect(removed).toEqual([AT_ONCE, AT_ONCE, ITEMS - 2 * AT_ONCE]);
  await feeds().remove(OPERATOR_FEEDS, feedId, async () => {});
  expect(removed).toHaveLength(4);
});

test('what is too much for a receiver that fails is lost, the oldest first', async () => {
  const bounds = { failure: 'timeout', nextAtMs: Date.now(), oldestMs: 0, waitingMax: 1_000 };
  await postponeFeed(database, feedId, bounds);
  expect([await waiting(), await lost()]).toEqual([1_000, ITEMS - 1_000]);
  expect(Math.max(...removed)).toBe(AT_ONCE);
  await postponeFeed(database, feedId, { ...bounds, oldestMs: Date.now() + 60_000 });
  expect([await waiting(), await lost()]).toEqual([0, ITEMS]);
});

test('so is what is too much for one that is slow; what feeds that are gone have left is removed', async () => {
  await sweepItems(database, { org: 1_000, operator: 2_000 });
  expect([await waiting(), await lost()]).toEqual([2_000, ITEMS - 2_000]);
  await database.query(sql('test_drop_feed', 'DELETE FROM call_feeds WHERE id = $1'), [feedId]);
  await sweepItems(database, { org: 1_000, operator: 2_000 });
  expect(await waiting()).toBe(0);
  expect(Math.max(...removed)).toBe(AT_ONCE);
});
