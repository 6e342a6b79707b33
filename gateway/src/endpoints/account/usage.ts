// GET /v1/usage: what the account of the calling key has used; of an organization's account, what the key's holder has,
// unless it is a management key. Nothing is cached: a call whose answer was seen is in it.

import type { UsageAnswer, UsageSeriesDay } from '../../contract/usage.ts';
import { sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { DayOfSeries, Report } from '../../modules/usage/report.ts';
import type { Usage } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { type NanoUsd, usdNumber } from '../../platform/money.ts';
import { type AccountHandler, figuresOf } from '../protect.ts';
import { toAppUsage, toFigures, toKeyUsage, toModelUsage, toTotals } from './usage-entries.ts';
import { seriesOf, type UsageSpan, usageSpan } from './usage-query.ts';

export type UsageServices = Readonly<{ ledger: Pick<Ledger, 'account'>; usage: Usage; clock: Clock }>;

export const readUsage =
  ({ ledger, usage, clock }: UsageServices): AccountHandler =>
  async (exchange, holder) => {
    const { accountId } = holder;
    const parameters = new URLSearchParams(exchange.queryText);
    const span = usageSpan(parameters, clock.nowMs());
    const kind = seriesOf(parameters);
    const query = { accountId, userId: figuresOf(holder), firstDay: span.firstDay, lastDay: span.lastDay };
    const [account, report, series] = await Promise.all([
      ledger.account(accountId),
      usage.report(query),
      kind === null ? null : usage.series(query, kind),
    ]);
    const answer = toAnswer(span, account.balanceNanoUsd, report);
    sendJson(exchange, 200, series === null ? answer : { ...answer, series: series.map(toSeriesDay) });
  };

function toSeriesDay({ day, id, name, ...sums }: DayOfSeries): UsageSeriesDay {
  const { spend, tokens, requests } = toFigures(sums);
  return { date: day, id, name, cost: spend, tokens, requests };
}

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
