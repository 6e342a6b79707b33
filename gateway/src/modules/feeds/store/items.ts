// The items that feeds have still to send. A feed is claimed by moving its next attempt into the future, so nothing has
// to be cleared when a process dies while sending; what it had sent is sent again.

import type { FeedForm } from '../../../contract/feeds.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import type { Busy } from '../../../platform/outbound/paced-calls.ts';
import type { FeedOwner } from '../feed.ts';

export type ClaimedFeed = Readonly<{
  id: string;
  ownerKind: FeedOwner['kind'];
  ownerId: string;
  form: FeedForm;
  host: string;
  settings: string;
  failures: number;
  createdAt: Date;
  deliveredAt: Date | null;
}>;

const claimStatement = sql(
  'feeds_claim',
  `${leaseRows({
    table: 'call_feeds',
    key: 'id',
    set: 'next_attempt_at = $2',
    due: `is_enabled AND next_attempt_at <= $1 AND host <> ALL ($4::text[])
       AND owner_id <> ALL ($5::text[])
       AND EXISTS (SELECT FROM call_feed_items i WHERE i.feed_id = call_feeds.id)`,
    order: 'next_attempt_at',
  })} RETURNING id, owner_kind AS "ownerKind", owner_id AS "ownerId", form, host, settings, failures,
             created_at AS "createdAt", delivered_at AS "deliveredAt"`,
);

// A feed without items is not due, however long ago it sent something.
const oldestDueStatement = sql(
  'feeds_oldest_due',
  `SELECT min(greatest(f.next_attempt_at, oldest.called_at)) AS "dueSince" FROM call_feeds f
   CROSS JOIN LATERAL (
     SELECT called_at FROM call_feed_items i WHERE i.feed_id = f.id ORDER BY generation_id LIMIT 1
   ) oldest
   WHERE f.is_enabled AND f.next_attempt_at <= $1`,
);

export type CallRow = Readonly<{
  id: string;
  createdAt: Date;
  accountId: string;
  userId: string;
  keyId: string;
  teamId: string | null;
  operation: string;
  modelId: string;
  providerName: string;
  appName: string | null;
  finishReason: string | null;
  status: number;
  isStream: boolean;
  attempts: number;
  durationMs: number;
  firstTokenMs: number | null;
  promptTokens: bigint;
  completionTokens: bigint;
  cachedTokens: bigint;
  cacheWriteTokens: bigint;
  reasoningTokens: bigint;
  units: Readonly<Record<string, number>> | null;
  costNanoUsd: bigint;
}>;

/** An item, with its record where that still exists. */
export type ItemRow = Readonly<{ generationId: string }> & (CallRow | Readonly<{ id: null }>);

// The owner is compared again here, so that a record that was put into a wrong feed by mistake is not sent.
const readStatement = sql(
  'feeds_read_items',
  `SELECT i.generation_id AS "generationId", g.id, g.created_at AS "createdAt", g.account_id AS "accountId",
     g.user_id AS "userId", g.key_id AS "keyId", g.team_id AS "teamId", g.operation, g.model_id AS "modelId",
     g.provider_name AS "providerName", g.app_name AS "appName", g.finish_reason AS "finishReason",
     g.upstream_status AS status, g.is_stream AS "isStream", g.attempts, g.duration_ms AS "durationMs",
     g.first_token_ms AS "firstTokenMs", g.prompt_tokens AS "promptTokens", g.completion_tokens AS "completionTokens",
     g.cached_tokens AS "cachedTokens", g.cache_write_tokens AS "cacheWriteTokens",
     g.reasoning_tokens AS "reasoningTokens", g.units, g.cost_nano_usd AS "costNanoUsd"
   FROM (SELECT * FROM call_feed_items WHERE feed_id = $1 ORDER BY generation_id LIMIT $2) i
   JOIN call_feeds f ON f.id = i.feed_id
   LEFT JOIN LATERAL (
     SELECT * FROM generations WHERE id = i.generation_id AND created_at = i.called_at OFFSET 0
   ) g ON f.owner_kind = 'operator' OR g.account_id = f.owner_id
   ORDER BY i.generation_id`,
);

const takenStatement = sql(
  'feeds_taken',
  `WITH gone AS (DELETE FROM call_feed_items WHERE feed_id = $1 AND generation_id = ANY ($2::text[]) RETURNING 1)
   UPDATE call_feeds SET failures = 0, failure = $3, next_attempt_at = $4, delivered_at = coalesce($5, delivered_at),
     delivered_count = delivered_count + CASE WHEN $5::timestamptz IS NULL THEN 0 ELSE (SELECT count(*) FROM gone) END,
     lost_count = lost_count + CASE WHEN $5::timestamptz IS NULL THEN (SELECT count(*) FROM gone) ELSE 0 END
   WHERE id = $1`,
);

const postponeStatement = sql(
  'feeds_postpone',
  'UPDATE call_feeds SET failures = failures + 1, failure = $2, next_attempt_at = $3 WHERE id = $1',
);

/** A feed may have a million items; deleted in one statement, they would run out of its time again and again. */
const DROPPED_AT_ONCE = 20_000;

/** Up to the item with this id; all of them where it is null. */
const dropStatement = sql(
  'feeds_drop_items',
  `WITH chosen AS MATERIALIZED (
     SELECT generation_id FROM call_feed_items
     WHERE feed_id = $1 AND ($2::text IS NULL OR generation_id <= $2)
     ORDER BY generation_id LIMIT ${DROPPED_AT_ONCE}
   ), gone AS (
     DELETE FROM call_feed_items i USING chosen c
     WHERE i.feed_id = $1 AND i.generation_id = c.generation_id
     RETURNING 1
   ), counted AS (
     UPDATE call_feeds SET lost_count = lost_count + (SELECT count(*) FROM gone) WHERE id = $1 AND $3::boolean
   )
   SELECT count(*)::integer AS items FROM gone`,
);

/** The oldest items are given up first: those before a moment, and those beyond a number. */
const lastLostStatement = sql(
  'feeds_last_lost',
  `SELECT greatest(
     (SELECT generation_id FROM call_feed_items WHERE feed_id = $1 ORDER BY generation_id DESC OFFSET $3 LIMIT 1),
     (SELECT max(generation_id) FROM call_feed_items WHERE feed_id = $1 AND called_at < $2)
   ) AS "lastLost"`,
);

// A fold that was under way while a feed was removed may have added items to it. There are few feeds and many items, so
// the index is walked from feed to feed.
const endedStatement = sql(
  'feeds_ended',
  `WITH RECURSIVE fed AS (
     SELECT min(feed_id) AS id FROM call_feed_items
     UNION ALL
     SELECT (SELECT min(feed_id) FROM call_feed_items i WHERE i.feed_id > fed.id) FROM fed WHERE fed.id IS NOT NULL
   )
   SELECT fed.id FROM fed
   WHERE fed.id IS NOT NULL AND NOT EXISTS (SELECT FROM call_feeds f WHERE f.id = fed.id AND f.is_enabled)`,
);

// A receiver that takes everything, but more slowly than calls are made, never fails. The oldest items are given up.
// What is computed for each feed is materialized, because it would otherwise be computed again to be compared.
const fullStatement = sql(
  'feeds_full',
  `WITH bound AS MATERIALIZED (
     SELECT f.id, (
       SELECT generation_id FROM call_feed_items WHERE feed_id = f.id ORDER BY generation_id DESC
       OFFSET CASE f.owner_kind WHEN 'org' THEN $1::int ELSE $2::int END LIMIT 1
     ) AS last_lost
     FROM call_feeds f
   )
   SELECT id, last_lost AS "lastLost" FROM bound
   WHERE last_lost IS NOT NULL`,
);

type FeedClaim = Readonly<{ nowMs: number; againAtMs: number; limit: number; busy: Busy }>;

export const claimFeeds = (
  queryable: Queryable,
  { nowMs, againAtMs, limit, busy }: FeedClaim,
): Promise<ClaimedFeed[]> =>
  queryable.query<ClaimedFeed>(claimStatement, [
    ...[new Date(nowMs), new Date(againAtMs), limit],
    ...[busy.hosts, busy.ownerIds],
  ]);

/** Since when the oldest item has been due; null when none is. */
export async function oldestDueItem(queryable: Queryable, nowMs: number): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestDueStatement, [new Date(nowMs)]);
  return row?.dueSince ?? null;
}

/** The oldest first. */
export const readItems = (queryable: Queryable, feedId: string, limit: number): Promise<ItemRow[]> =>
  queryable.query<ItemRow>(readStatement, [feedId, limit]);

export type Taken = Readonly<{ feedId: string; generationIds: readonly string[]; nextAtMs: number }>;

export async function deliveredItems(queryable: Queryable, taken: Taken, atMs: number): Promise<void> {
  const { feedId, generationIds, nextAtMs } = taken;
  await queryable.query(takenStatement, [feedId, generationIds, null, new Date(nextAtMs), new Date(atMs)]);
}

/** The collector refused these items as such, and would not take them later either. */
export async function lostItems(queryable: Queryable, taken: Taken, failure: string): Promise<void> {
  const { feedId, generationIds, nextAtMs } = taken;
  await queryable.query(takenStatement, [feedId, generationIds, failure, new Date(nextAtMs), null]);
}

export async function postponeFeed(
  queryable: Queryable,
  feedId: string,
  {
    failure,
    nextAtMs,
    oldestMs,
    waitingMax,
  }: Readonly<{ failure: string; nextAtMs: number; oldestMs: number; waitingMax: number }>,
): Promise<void> {
  await queryable.query(postponeStatement, [feedId, failure, new Date(nextAtMs)]);
  const bounds = [feedId, new Date(oldestMs), waitingMax];
  const [found] = await queryable.query<{ lastLost: string | null }>(lastLostStatement, bounds);
  if (found !== undefined && found.lastLost !== null) await dropItems(queryable, feedId, found.lastLost);
}

/** Removes items of feeds that are gone or switched off, and the oldest of those that have too many. */
export async function sweepItems(
  queryable: Queryable,
  waitingMax: Readonly<Record<FeedOwner['kind'], number>>,
): Promise<void> {
  for (const { id } of await queryable.query<{ id: string }>(endedStatement)) await forgetItems(queryable, id);
  const bounds = [waitingMax.org, waitingMax.operator];
  const full = await queryable.query<{ id: string; lastLost: string }>(fullStatement, bounds);
  for (const { id, lastLost } of full) await dropItems(queryable, id, lastLost);
}

/** Removes the items that a feed had still to send, which its owner has given up. */
export const forgetItems = (queryable: Queryable, feedId: string): Promise<void> =>
  dropPartly(queryable, [feedId, null, false]);

/** They count as lost. */
const dropItems = (queryable: Queryable, feedId: string, lastLost: string): Promise<void> =>
  dropPartly(queryable, [feedId, lastLost, true]);

async function dropPartly(queryable: Queryable, values: readonly unknown[]): Promise<void> {
  for (;;) {
    const [dropped] = await queryable.query<{ items: number }>(dropStatement, values);
    if (dropped === undefined || dropped.items < DROPPED_AT_ONCE) return;
  }
}
