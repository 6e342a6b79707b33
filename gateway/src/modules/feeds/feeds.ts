// Feeds as their owners set them up. An address is judged when it is given and again whenever it is called; what is secret
// about it is sealed and never shown.

import type { NewFeedBody } from '../../contract/feeds.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { type SealingKey, seal } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../platform/outbound/outbound-error.ts';
import { newWebhookSecret } from '../../platform/outbound/sign-webhook.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { type Feed, type FeedOwner, type FeedSettings, settingsPlace } from './feed.ts';
import * as store from './store/feeds.ts';

const FEEDS_MAX = 3;
const KEEP_DAYS = 30;
/** What says where a message ends, who is asked, or in which form: those are ours. */
const OWN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|webhook-.*)$/i;

type NewFeed = NewFeedBody;
type FeedChange = Partial<Pick<Feed, 'name' | 'isEnabled'>>;

/** In the transaction of the change. */
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
}>;

type FeedsOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'checkUrl'>;
  purpose: AddressPurpose;
  secretKey: SealingKey;
  clock: Clock;
}>;

export function createFeeds(options: FeedsOptions): Feeds {
  const { database } = options;
  const known = async (queryable: Queryable, owner: FeedOwner, id: string): Promise<Feed> => {
    const feed = await store.findFeed(queryable, owner, id);
    if (feed === null) throw new ApiError('http_404', 'There is no such feed.');
    return feed;
  };
  return {
    list: (owner) => store.listFeeds(database, owner),
    create: (owner, feed, onChanged) => create(options, { owner, feed, onChanged }),
    change: (owner, id, change, onChanged) =>
      database.transaction(async (transaction) => {
        const before = await known(transaction, owner, id);
        const after = { ...before, ...change };
        await store.changeFeed(transaction, owner, after);
        if (!after.isEnabled) await store.forgetItems(transaction, owner, id);
        await onChanged(transaction, { before, after });
        return after.isEnabled ? after : { ...after, waitingCount: 0n };
      }),
    remove: (owner, id, onChanged) =>
      database.transaction(async (transaction) => {
        const before = await known(transaction, owner, id);
        await store.forgetItems(transaction, owner, id);
        await store.deleteFeed(transaction, owner, id);
        await onChanged(transaction, { before, after: null });
      }),
  };
}

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
  await options.database.transaction(async (transaction) => {
    if (!(await store.insertFeed(transaction, owner, { ...row, settings: sealed }, FEEDS_MAX)))
      throw new ApiError('http_409', `There are ${FEEDS_MAX} feeds at most. Delete one first.`);
    await onChanged(transaction, { before: null, after: row });
  });
  return { feed: row, secret: settings.form === 'http' ? settings.secret : null };
}

function settingsOf(owner: FeedOwner, feed: NewFeed): FeedSettings {
  if (feed.form === 'file') {
    // A customer's files would lie on our disk, where the customer cannot read them.
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
