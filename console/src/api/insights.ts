// What the usage page alone asks for: usage by the hour, and usage as a file.

import { queryOptions } from '@tanstack/react-query';
import type { HeatmapMetric, InsightsAnswer, InsightsPeriod } from '../../../gateway/src/contract/usage.ts';
import { ofSameAccount, type UsageWish } from './account.ts';
import { queryText, request, send } from './request.ts';

export const readUsageCsv = async (wish: UsageWish): Promise<Blob> =>
  (await send('GET', `/api/account/usage${queryText({ ...wish, format: 'csv' })}`)).blob();

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
