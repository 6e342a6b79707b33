// An account's balance and what was used of it: a person's own, or with an id that of an organization.

import { queryOptions } from '@tanstack/react-query';
import type { OwnAccountAnswer } from '../../../gateway/src/contract/own-account.ts';
import type {
  HeatmapMetric,
  InsightsAnswer,
  InsightsPeriod,
  UsageAnswer,
  UsagePeriod,
} from '../../../gateway/src/contract/usage.ts';
import { queryText, request, send } from './request.ts';

export type Account = OwnAccountAnswer['data'];

export const accountQuery = (orgId?: string) =>
  queryOptions({
    queryKey: ['account', orgId ?? null],
    queryFn: async (): Promise<Account> =>
      (await request<OwnAccountAnswer>('GET', `/api/account${queryText({ orgId })}`)).data,
  });

export type UsageWish = Readonly<{
  orgId?: string;
  period: UsagePeriod;
  /** Both only with the period `custom`. */
  from?: string;
  to?: string;
  series?: 'key' | 'app';
  by?: 'day' | 'hour';
  compare?: 'previous';
  model?: string;
  api_key_id?: string;
  app?: string;
}>;

export const usageQuery = (wish: UsageWish) =>
  queryOptions({
    queryKey: ['usage', wish.orgId ?? null, wish],
    placeholderData: ofSameAccount(wish.orgId),
    queryFn: () => request<UsageAnswer>('GET', `/api/account/usage${queryText(wish)}`),
  });

export const readUsageCsv = async (wish: UsageWish): Promise<Blob> =>
  (await send('GET', `/api/account/usage${queryText({ ...wish, format: 'csv' })}`)).blob();

/** The figures before, until the new ones are there; but never those of another account. */
export const ofSameAccount =
  (orgId: string | undefined) =>
  <Data>(before: Data | undefined, query: Readonly<{ queryKey: readonly unknown[] }> | undefined): Data | undefined =>
    query?.queryKey[1] === (orgId ?? null) ? before : undefined;

/** With the figure that the heat map is of, which the answer itself does not say. */
export type Insights = InsightsAnswer & Readonly<{ metric: HeatmapMetric }>;

export type InsightsWish = Readonly<{ orgId?: string; period: InsightsPeriod; metric: HeatmapMetric }>;

export const insightsQuery = ({ orgId, period, metric }: InsightsWish) =>
  queryOptions({
    queryKey: ['insights', orgId ?? null, period, metric],
    placeholderData: ofSameAccount(orgId),
    queryFn: async (): Promise<Insights> => {
      const query = queryText({ orgId, period, heatmap_metric: metric });
      return { ...(await request<InsightsAnswer>('GET', `/api/account/insights${query}`)), metric };
    },
  });
