// Feeds as their owners set them up. An address is checked when it is given and again at every call; its secrets are
// sealed and never shown.

import type { NewFeedBody } from '../../contract/feeds.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { newId, newTimedId } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../platform/outbound/outbound-error.ts';
import { newWebhookSecret } from '../../platform/outbound/sign-webhook.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { type Feed, type FeedOwner, type FeedSettings, settingsPlace, UNREADABLE } from './feed.ts';
import { type SendParts, sendBatch } from './send-batch.ts';
import * as store from './store/feeds.ts';
import { type CallRow, forgetItems } from './store/items.ts';

const FEEDS_MAX = 3;
const KEEP_DAYS = 30;
const TEST_PAUSE_MS = 5_000;
const FEEDS_TESTED_MAX = 10_000;
/** Headers about the message's framing, address and form, which the gateway sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|webhook-.*)$/i;

type NewFeed = NewFeedBody;
type FeedChange = Partial<Pick<Feed, 'name' | 'isEnabled'>>;

/** Runs in the transaction of the change. */
export type OnFeedChanged = (
  transaction: Queryable,
  change: Readonly<{ before: Feed | null; after: Feed | null }>,
) => Promise<void>;

export type Feeds = Readonly<{
  list(owner: FeedOwner): Promise<readonly Feed[]>;
  create(
    owner: FeedOwner,
    feed: NewFeed,
    onChanged: OnFeedChanged,
  ): Promise<Readonly<{ feed: Feed; secret: string | null }>>;
  change(owner: FeedOwner, id: string, change: FeedChange, onChanged: OnFeedChanged): Promise<Feed>;
  remove(owner: FeedOwner, id: string, onChanged: OnFeedChanged): Promise<void>;
  /** Sends the record of an invented call at once; null when it was taken, else the reason why not. */
  test(owner: FeedOwner, id: string): Promise<string | null>;
}>;

type FeedsOptions = Omit<SendParts, 'outbound'> &
  Readonly<{
    database: Database;
    outbound: Pick<Outbound, 'checkUrl' | 'request'>;
    secretKey: SealingKey;
    clock: Clock;
  }>;

export function createFeeds(options: FeedsOptions): Feeds {
  const { database, clock } = options;
  const tested = new RecentMap<number>({ sizeMax: FEEDS_TESTED_MAX });
  const known = async (found: Promise<Feed | null>): Promise<Feed> => {
    const feed = await found;
    if (feed === null) throw new ApiError('http_404', 'There is no such feed.');
    return feed;
  };
  return {
    list: (owner) => store.listFeeds(database, owner),
    create: (owner, feed, onChanged) => create(options, { owner, feed, onChanged }),
    async change(owner, id, change, onChanged) {
      const changed = await database.transaction(async (transaction) => {
        const before = await known(store.lockFeed(transaction, owner, id));
        const after = { ...before, ...change };
        await store.changeFeed(transaction, owner, after);
        await onChanged(transaction, { before, after });
        return after;
      });
      if (changed.isEnabled) return changed;
      await forgetItems(database, id);
      return { ...changed, waitingCount: 0n };
    },
    async remove(owner, id, onChanged) {
      await database.transaction(async (transaction) => {
        const before = await known(store.lockFeed(transaction, owner, id));
        await store.deleteFeed(transaction, owner, id);
        await onChanged(transaction, { before, after: null });
      });
      await forgetItems(database, id);
    },
    async test(owner, id) {
      await known(store.findFeed(database, owner, id));
      const nowMs = clock.nowMs();
      // A test calls an address that its owner chooses, so tests are limited in number.
      if (nowMs - (tested.get(id) ?? Number.NEGATIVE_INFINITY) < TEST_PAUSE_MS)
        throw new ApiError('http_429', 'This feed was tested a moment ago. Try again shortly.', {
          retryAfterSeconds: TEST_PAUSE_MS / 1_000,
        });
      tested.set(id, nowMs);
      return sendTest(options, owner, id);
    },
  };
}

async function sendTest(options: FeedsOptions, owner: FeedOwner, id: string): Promise<string | null> {
  const sealed = await store.findSettings(options.database, owner, id);
  const settings = sealed === null ? null : open(options.secretKey, sealed, settingsPlace(id));
  if (settings === null) return UNREADABLE;
  const nowMs = options.clock.nowMs();
  const batch = { feedId: id, calls: [testCall(owner, nowMs)], nowMs, sinceMs: nowMs } as const;
  return sendBatch(JSON.parse(settings) as FeedSettings, batch, options);
}

const testCall = (owner: FeedOwner, nowMs: number): CallRow => ({
  ...{ id: newTimedId('gen', nowMs), createdAt: new Date(nowMs), accountId: owner.id, userId: '', keyId: '' },
  ...{
    teamId: null,
    operation: 'chat',
    modelId: 'tollgate/test',
    providerName: 'test',
    appName: 'A test of this feed',
  },
  ...{ finishReason: null, status: 200, isStream: false, attempts: 0, durationMs: 0, firstTokenMs: null },
  ...{ promptTokens: 0n, completionTokens: 0n, cachedTokens: 0n, cacheWriteTokens: 0n, reasoningTokens: 0n },
  ...{ units: null, costNanoUsd: 0n },
});

type FeedAddress = Exclude<FeedSettings, { form: 'file' }>;

type Creation = Readonly<{ owner: FeedOwner; feed: NewFeed; onChanged: OnFeedChanged }>;

async function create(
  options: FeedsOptions,
  { owner, feed, onChanged }: Creation,
): Promise<Readonly<{ feed: Feed; secret: string | null }>> {
  const settings = settingsOf(owner, feed);
  const host = settings.form === 'file' ? 'this machine' : await checkUrl(options, settings);
  const id = newId('fed');
  const row: Feed = {
    ...{ id, name: feed.name, form: feed.form, host, isEnabled: feed.enabled ?? true },
    createdAt: new Date(options.clock.nowMs()),
    ...{ waitingCount: 0n, deliveredCount: 0n, lostCount: 0n, deliveredAt: null, failure: null },
  };
  const sealed = seal(options.secretKey, JSON.stringify(settings), settingsPlace(id));
  await withRoom(options.database, owner.id, async (transaction) => {
    if (!(await store.insertFeed(transaction, owner, { ...row, settings: sealed }, FEEDS_MAX)))
      throw new ApiError('http_409', `There are ${FEEDS_MAX} feeds at most. Delete one first.`);
    await onChanged(transaction, { before: null, after: row });
  });
  return { feed: row, secret: settings.form === 'http' ? settings.secret : null };
}

function settingsOf(owner: FeedOwner, feed: NewFeed): FeedSettings {
  if (feed.form === 'file') {
    // A customer's files would lie on the operator's disk, where the customer cannot read them.
    if (owner.kind !== 'operator') throw new ApiError('http_400', 'form: must be otlp, http or s3.');
    return { form: 'file', keepDays: feed.keepDays ?? KEEP_DAYS };
  }
  if (feed.form === 's3') {
    const region = required('region', feed.region);
    return {
      form: 's3',
      url: feed.url ?? `https://s3.${region}.amazonaws.com`,
      bucket: required('bucket', feed.bucket),
      region,
      prefix: feed.prefix ?? '',
      accessKeyId: required('accessKeyId', feed.accessKeyId),
      secretAccessKey: required('secretAccessKey', feed.secretAccessKey),
    };
  }
  const url = required('url', feed.url);
  const headers = headersOf(feed);
  if (feed.form === 'http') return { form: 'http', url, headers, secret: newWebhookSecret() };
  return { form: 'otlp', url, headers, signals: feed.signals ?? ['traces'] };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new ApiError('missing_required_field', `${name}: this field is required.`);
  return value;
}

/** Names and values in turn. */
function headersOf({ headers = [] }: NewFeed): readonly string[] {
  return headers.flatMap(({ name, value }) => {
    if (OWN_HEADERS.test(name)) throw new ApiError('http_400', `headers: ${name} cannot be set.`);
    return [name.toLowerCase(), value];
  });
}

async function checkUrl({ outbound, purpose }: FeedsOptions, { form, url }: FeedAddress): Promise<string> {
  if (form !== 'http' && url.includes('?')) throw new ApiError('http_400', 'url: must not have a query.');
  try {
    return (await outbound.checkUrl(url, { ...purpose, mustResolve: true })).host;
  } catch (error) {
    if (!(error instanceof ForbiddenUrlError)) throw error;
    throw new ApiError('http_400', `url: ${error.message}.`, { cause: error });
  }
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'call_feeds', key: { id: 'text' }, column: 'settings', type: 'text', purposes: ['feeds'] },
    boundTo: ({ id = '' }) => settingsPlace(id),
  },
];
