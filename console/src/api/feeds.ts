// Feeds of call records: the same for an organization and the operator.

import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeFeedBody,
  FeedObject,
  FeedsAnswer,
  FeedTestAnswer,
  NewFeedAnswer,
  NewFeedBody,
} from '../../../gateway/src/contract/feeds.ts';
import { OPERATOR_KEY, operate } from './operator/token.ts';
import { orgApiPath, orgKeyOf } from './orgs/organizations.ts';
import { type Method, request } from './request.ts';

export type Feed = FeedObject;
export type NewFeed = NewFeedBody;
export type FeedTest = FeedTestAnswer;

type Ask = <Answer>(method: Method, path: string, options?: Readonly<{ body?: unknown }>) => Promise<Answer>;

const REFRESH_MS = 5_000;

function feedsOf(key: readonly string[], base: string, ask: Ask) {
  const feedPath = (id: string): string => `${base}/${encodeURIComponent(id)}`;
  return {
    query: queryOptions({
      queryKey: [...key, 'feeds'],
      // What waits and what was taken changes with every call.
      refetchInterval: REFRESH_MS,
      queryFn: () => ask<FeedsAnswer>('GET', base),
    }),
    create: (body: NewFeedBody) => ask<NewFeedAnswer>('POST', base, { body }),
    change: (id: string, body: ChangeFeedBody) => ask<Feed>('PATCH', feedPath(id), { body }),
    test: (id: string) => ask<FeedTestAnswer>('POST', `${feedPath(id)}/test`, { body: {} }),
    remove: (id: string) => ask<void>('DELETE', feedPath(id)),
  };
}

export type FeedsApi = ReturnType<typeof feedsOf>;

export const orgFeeds = (orgId: string): FeedsApi => feedsOf(orgKeyOf(orgId), orgApiPath(orgId, '/feeds'), request);
export const operatorFeeds: FeedsApi = feedsOf([OPERATOR_KEY], '/feeds', operate);
