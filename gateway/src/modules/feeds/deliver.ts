// Sends the records that feeds wait for, outside the path of any call. A batch is removed once its collector has taken
// it, so each record arrives at least once; a feed whose collector does not answer is tried less and less often, and
// what waits in it is bounded.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { FeedForm } from '../../contract/feeds.ts';
import type { Clock } from '../../platform/clock.ts';
import { open, type SealingKey } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { CLAIM_MS, createPacedCalls, type PacedCalls } from '../../platform/outbound/paced-calls.ts';
import { type FeedSettings, settingsPlace, UNREADABLE } from './feed.ts';
import { type FeedBatch, type SendParts, sendBatch } from './send-batch.ts';
import * as store from './store/items.ts';

const BATCH_MAX = 500;
/** The pause between batches that are not full, because each small object in a bucket costs its owner. */
const PAUSE_MS: Readonly<Record<FeedForm, number>> = { otlp: 2_000, http: 2_000, file: 2_000, s3: 60_000 };
/** The waits after failed attempts; the last one repeats. */
const WAITS_MS = [5_000, 15_000, 60_000, 300_000, 900_000];
const KEPT_MS = 3 * DAY_MS;
const WAITING_MAX = { org: 100_000, operator: 1_000_000 } as const;
const SWEEP_MS = 3_600_000;
/** The batch is tried again with fewer records, at once. */
const TOO_LARGE = 'status 413';
const PARTS = 4;
/** Failures of the records themselves: they would not be taken later either. */
const REFUSED: ReadonlySet<string> = new Set(['status 400', TOO_LARGE, 'status 422']);

type DeliveryOptions = SendParts &
  Readonly<{
    database: Database;
    /** Derived for this purpose alone. */
    secretKey: SealingKey;
    clock: Clock;
    logger: Logger;
  }>;

export function createFeedDeliveries(options: DeliveryOptions): PacedCalls {
  const { database, clock, logger } = options;
  let sweepAtMs = clock.nowMs() + SWEEP_MS;
  return createPacedCalls<store.ClaimedFeed>({
    clock,
    async claim(limit, busy) {
      const nowMs = clock.nowMs();
      if (nowMs >= sweepAtMs) {
        sweepAtMs = nowMs + SWEEP_MS;
        await store.sweepItems(database, WAITING_MAX);
      }
      return store.claimFeeds(database, { nowMs, againAtMs: nowMs + 2 * CLAIM_MS, limit, busy });
    },
    send: (feed) => deliver(feed, options),
    onUnrecorded({ id }, error) {
      logger.warn({ feedId: id, error: asError(error) }, 'a feed could not be recorded');
    },
  });
}

async function deliver(feed: store.ClaimedFeed, options: DeliveryOptions): Promise<void> {
  const { database, clock, logger } = options;
  const waiting = await store.readItems(database, feed.id, BATCH_MAX);
  let items = waiting;
  let failure = await send(feed, items, options);
  while (failure === TOO_LARGE && items.length > 1) {
    items = items.slice(0, Math.ceil(items.length / PARTS));
    failure = await send(feed, items, options);
  }
  const nowMs = clock.nowMs();
  const hasMore = waiting.length === BATCH_MAX || items.length < waiting.length;
  const pauseMs = hasMore ? 0 : PAUSE_MS[feed.form];
  const taken = {
    feedId: feed.id,
    generationIds: items.map(({ generationId }) => generationId),
    nextAtMs: nowMs + pauseMs,
  };
  if (failure === null) {
    await store.deliveredItems(database, taken, nowMs);
    return;
  }
  // The address stays out of the log, because it may contain a secret of its owner.
  logger.warn(
    { feedId: feed.id, failures: feed.failures + 1, failure },
    'the receiver of a feed did not take its records',
  );
  if (REFUSED.has(failure)) {
    await store.lostItems(database, taken, failure);
    return;
  }
  const waitMs = WAITS_MS[Math.min(feed.failures, WAITS_MS.length - 1)] ?? 0;
  await store.postponeFeed(database, feed.id, {
    failure,
    nextAtMs: nowMs + waitMs,
    oldestMs: nowMs - KEPT_MS,
    waitingMax: WAITING_MAX[feed.ownerKind],
  });
}

/** Null when they were taken, or when none of their records exists any more. */
async function send(
  feed: store.ClaimedFeed,
  items: readonly store.ItemRow[],
  options: DeliveryOptions,
): Promise<string | null> {
  const [first, ...rest] = items.filter((item): item is store.ItemRow & store.CallRow => item.id !== null);
  if (first === undefined) return null;
  const settings = open(options.secretKey, feed.settings, settingsPlace(feed.id));
  if (settings === null) return UNREADABLE;
  const sinceMs = (feed.deliveredAt ?? feed.createdAt).getTime();
  const calls: FeedBatch['calls'] = [first, ...rest];
  const batch = { feedId: feed.id, calls, nowMs: options.clock.nowMs(), sinceMs };
  return sendBatch(JSON.parse(settings) as FeedSettings, batch, options);
}
