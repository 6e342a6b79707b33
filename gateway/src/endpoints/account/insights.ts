// GET /v1/insights: what the calling person has used of the account that pays, and at which hours. Only the credential
// decides whose figures are shown; no parameter can name another person.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { InsightsAnswer } from '../../contract/usage.ts';
import { sendBytes } from '../../http/respond.ts';
import type { UsageReports } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { usdNumber } from '../../platform/money.ts';
import type { AccountHandler, AccountHolder } from '../protect.ts';
import { toAppUsage, toKeyUsage, toModelUsage, toTotals } from './usage-entries.ts';
import { type InsightsRequest, insightsRequest } from './usage-query.ts';

/** Spec, Limits: insights are cached for five minutes. */
const AGE_MAX_MS = 300_000;
const CHARACTERS_MAX = 32_000_000;
/** A short answer counts as so many, which bounds how many of them there are. */
const CHARACTERS_LEAST = 16_000;

type InsightsServices = Readonly<{ usage: UsageReports; clock: Clock }>;

export function readInsights({ usage, clock }: InsightsServices): AccountHandler {
  const cache = new LoadingCache<string>({
    clock,
    ageMaxMs: AGE_MAX_MS,
    sizeMax: CHARACTERS_MAX,
    weightOf: (answer) => Math.max(answer.length, CHARACTERS_LEAST),
  });
  const make = async (holder: AccountHolder, request: InsightsRequest): Promise<string> => {
    const cachedAt = new Date(clock.nowMs()).toISOString();
    const query = { accountId: holder.accountId, userId: holder.userId, firstDay: request.firstDay };
    const insights = await usage.insights({ ...query, filter: request.filter }, request.metric);
    const answer: InsightsAnswer = {
      period: request.period,
      totals: toTotals(insights.totals),
      heatmap: insights.heat.map(({ day, hour, value }) => ({
        date: day,
        hour,
        value: request.metric === 'spend' ? usdNumber(value) : Number(value),
      })),
      topModels: insights.topModels.map(toModelUsage),
      topKeys: insights.topKeys.map(toKeyUsage),
      topApps: insights.topApps.map(toAppUsage),
      cachedAt,
    };
    return JSON.stringify(answer);
  };
  return async (exchange, holder) => {
    const request = insightsRequest(new URLSearchParams(exchange.queryText), clock.nowMs());
    const body = await cache.find(cacheName(holder, request), () => make(holder, request));
    sendBytes(exchange, 200, { type: JSON_TYPE, body });
  };
}

/** As JSON, so that two values can never run together. */
function cacheName(holder: AccountHolder, { period, metric, filter }: InsightsRequest): string {
  const { modelId, keyId, appName } = filter;
  return JSON.stringify([holder.accountId, holder.userId, period, metric, modelId, keyId, appName]);
}
