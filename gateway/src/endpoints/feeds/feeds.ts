// The feeds of call records: the same handlers for an organization and the operator. The routes decide the owner;
// nobody sees or changes another owner's.

import {
  ChangeFeedBody,
  type FeedObject,
  type FeedsAnswer,
  type FeedTestAnswer,
  type NewFeedAnswer,
  NewFeedBody,
} from '../../contract/feeds.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Feed, FeedOwner } from '../../modules/feeds/feed.ts';
import type { Feeds, OnFeedChanged } from '../../modules/feeds/feeds.ts';
import { bodyReader } from '../read-body.ts';
import { given } from '../request-fields.ts';

export type FeedServices = Readonly<{ feeds: Feeds }>;

/** The owner of the feeds, and what is called on a change. */
type OwnedBy = Readonly<{ owner: FeedOwner; onChanged: OnFeedChanged }>;
export type FeedHandler = (exchange: Exchange, by: OwnedBy) => Promise<void>;

export const listFeeds =
  ({ feeds }: FeedServices): FeedHandler =>
  async (exchange, { owner }) => {
    const answer: FeedsAnswer = { feeds: (await feeds.list(owner)).map(feedObject) };
    sendJson(exchange, 200, answer);
  };

export function createFeed({ feeds }: FeedServices): FeedHandler {
  const readBody = bodyReader(NewFeedBody);
  return async (exchange, { owner, onChanged }) => {
    const { feed, secret } = await feeds.create(owner, await readBody(exchange), onChanged);
    const answer: NewFeedAnswer = { ...feedObject(feed), secret };
    sendJson(exchange, 201, answer);
  };
}

export function changeFeed({ feeds }: FeedServices): FeedHandler {
  const readBody = bodyReader(ChangeFeedBody);
  return async (exchange, { owner, onChanged }) => {
    const { name, enabled } = await readBody(exchange);
    const change = given({ name, isEnabled: enabled });
    const feed = await feeds.change(owner, exchange.params.feedId ?? '', change, onChanged);
    sendJson(exchange, 200, feedObject(feed));
  };
}

export const deleteFeed =
  ({ feeds }: FeedServices): FeedHandler =>
  async (exchange, { owner, onChanged }) => {
    await feeds.remove(owner, exchange.params.feedId ?? '', onChanged);
    sendEmpty(exchange, 204);
  };

export const testFeed =
  ({ feeds }: FeedServices): FeedHandler =>
  async (exchange, { owner }) => {
    const failure = await feeds.test(owner, exchange.params.feedId ?? '');
    const answer: FeedTestAnswer = { taken: failure === null, failure };
    sendJson(exchange, 200, answer);
  };

const feedObject = (feed: Feed): FeedObject => ({
  id: feed.id,
  name: feed.name,
  form: feed.form,
  host: feed.host,
  enabled: feed.isEnabled,
  createdAt: feed.createdAt.toISOString(),
  waiting: Number(feed.waitingCount),
  delivered: Number(feed.deliveredCount),
  lost: Number(feed.lostCount),
  deliveredAt: feed.deliveredAt?.toISOString() ?? null,
  failure: feed.failure,
});
