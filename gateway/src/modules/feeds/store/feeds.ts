// Feeds as their owners see them. Every statement names the owner.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { Feed, FeedOwner } from '../feed.ts';

/** Counting stops here; items beyond this are given up soon. */
const WAITING_SHOWN_MAX = 100_000;

const COLUMNS = `f.id, f.name, f.form, f.host, f.is_enabled AS "isEnabled", f.created_at AS "createdAt", f.failure,
  f.delivered_count AS "deliveredCount", f.lost_count AS "lostCount", f.delivered_at AS "deliveredAt",
  (SELECT count(*) FROM (SELECT FROM call_feed_items i WHERE i.feed_id = f.id LIMIT ${WAITING_SHOWN_MAX}) AS w)
    AS "waitingCount"`;

const listStatement = sql(
  'feeds_list',
  `SELECT ${COLUMNS} FROM call_feeds f WHERE owner_kind = $1 AND owner_id = $2 ORDER BY created_at, id`,
);

const FIND = `SELECT ${COLUMNS} FROM call_feeds f WHERE owner_kind = $1 AND owner_id = $2 AND id = $3`;
const findStatement = sql('feeds_find', FIND);
const lockStatement = sql('feeds_lock', `${FIND} FOR UPDATE OF f`);

const settingsStatement = sql(
  'feeds_find_settings',
  'SELECT settings FROM call_feeds WHERE owner_kind = $1 AND owner_id = $2 AND id = $3',
);

// Two feeds that are made at the same time may both pass the bound, which is accepted.
const insertStatement = sql(
  'feeds_insert',
  `INSERT INTO call_feeds (owner_kind, owner_id, id, name, form, host, settings, is_enabled, created_at, next_attempt_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $9
   WHERE (SELECT count(*) FROM call_feeds WHERE owner_kind = $1 AND owner_id = $2) < $10
   RETURNING id`,
);

const changeStatement = sql(
  'feeds_change',
  'UPDATE call_feeds SET name = $4, is_enabled = $5 WHERE owner_kind = $1 AND owner_id = $2 AND id = $3',
);

const deleteStatement = sql(
  'feeds_delete',
  'DELETE FROM call_feeds WHERE owner_kind = $1 AND owner_id = $2 AND id = $3 RETURNING id',
);

export const listFeeds = (queryable: Queryable, { kind, id }: FeedOwner): Promise<Feed[]> =>
  queryable.query<Feed>(listStatement, [kind, id]);

export const findFeed = (queryable: Queryable, owner: FeedOwner, id: string): Promise<Feed | null> =>
  firstRow(queryable, findStatement, [owner.kind, owner.id, id]);

/** Locked until the transaction ends, so that a change begins with what the one before it left. */
export const lockFeed = (transaction: Queryable, owner: FeedOwner, id: string): Promise<Feed | null> =>
  firstRow(transaction, lockStatement, [owner.kind, owner.id, id]);

/** Sealed; null when there is no such feed. */
export async function findSettings(queryable: Queryable, owner: FeedOwner, id: string): Promise<string | null> {
  const [row] = await queryable.query<{ settings: string }>(settingsStatement, [owner.kind, owner.id, id]);
  return row?.settings ?? null;
}

/** False when the owner has as many feeds as allowed. */
export async function insertFeed(
  queryable: Queryable,
  owner: FeedOwner,
  row: Feed & Readonly<{ settings: string }>,
  feedsMax: number,
): Promise<boolean> {
  const { id, name, form, host, settings, isEnabled, createdAt } = row;
  const values = [owner.kind, owner.id, id, name, form, host, settings, isEnabled, createdAt, feedsMax];
  return hasRow(queryable, insertStatement, values);
}

export async function changeFeed(queryable: Queryable, owner: FeedOwner, { id, name, isEnabled }: Feed): Promise<void> {
  await queryable.query(changeStatement, [owner.kind, owner.id, id, name, isEnabled]);
}

export async function deleteFeed(queryable: Queryable, owner: FeedOwner, id: string): Promise<void> {
  await queryable.query(deleteStatement, [owner.kind, owner.id, id]);
}
