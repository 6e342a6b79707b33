// GET /v1/usage: what the account of the calling key has used. Nothing is cached: a call whose answer was seen is in it.

import type { UsageAnswer } from '../../contract/usage.ts';
import { sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Report } from '../../modules/usage/report.ts';
import type { Usage } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import type { CallerHandler } from '../protect.ts';
import { toAppUsage, toFigures, toKeyUsage, toModelUsage, toTotals } from './usage-entries.ts';
import { type UsageSpan, usageSpan } from './usage-query.ts';

export type UsageServices = Readonly<{ ledger: Pick<Ledger, 'account'>; usage: Usage; clock: Clock }>;

export const readUsage =
  ({ ledger, usage, clock }: UsageServices): CallerHandler =>
  async (exchange, { accountId }) => {
    const span = usageSpan(new URLSearchParams(exchange.queryText), clock.nowMs());
    const [account, report] = await Promise.all([
      ledger.account(accountId),
      usage.report({ accountId, firstDay: span.firstDay, lastDay: span.lastDay }),
    ]);
    sendJson(exchange, 200, toAnswer(span, account.balanceNanoUsd, report));
  };

function toAnswer(span: UsageSpan, balanceNanoUsd: NanoUsd, report: Report): UsageAnswer {
  return {
    period: span.period,
    since: `${span.firstDay}T00:00:00.000Z`,
    credits: usdNumber(balanceNanoUsd),
    totals: toTotals(report.totals),
    byModel: report.models.map(toModelUsage),
    byKey: report.keys.map(toKeyUsage),
    byApp: report.apps.map(toAppUsage),
    timeSeries: report.days.map((day) => {
      const { spend, tokens, requests } = toFigures(day);
      return { date: day.day, model: day.modelId, cost: spend, tokens, requests };
    }),
  };
}
