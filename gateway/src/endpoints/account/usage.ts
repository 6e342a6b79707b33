// GET /v1/usage: what the account of the calling key has used; for an organization's account, what the key's holder
// has, unless it is a management key. Nothing is cached: a call whose answer was seen is included.

import type { UsageAnswer, UsageSeriesDay } from '../../contract/usage.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendBytes, sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { BucketOfSeries, Report, ReportQuery, Sums } from '../../modules/usage/report.ts';
import type { UsageReports } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatCsv } from '../../platform/csv.ts';
import { formatUsd, type NanoUsd, usdNumber } from '../../platform/money.ts';
import { type AccountHandler, figuresOf } from '../protect.ts';
import { toAppUsage, toFigures, toKeyUsage, toModelUsage, toTotals } from './usage-entries.ts';
import {
  filtersOf,
  grainOf,
  hasComparison,
  seriesOf,
  sinceOf,
  spanBefore,
  type UsageSpan,
  usageFormat,
  usageSpan,
} from './usage-query.ts';

export type UsageServices = Readonly<{ ledger: Pick<Ledger, 'account'>; usage: UsageReports; clock: Clock }>;

type Figures = Readonly<{
  report: Report;
  /** By model; by the hour it may be another report than the one with prompt and completion tokens. */
  buckets: Report['buckets'];
  series: readonly BucketOfSeries[] | null;
  before: Report | null;
}>;

export const readUsage =
  ({ ledger, usage, clock }: UsageServices): AccountHandler =>
  async (exchange, holder) => {
    const { accountId } = holder;
    const parameters = new URLSearchParams(exchange.queryText);
    const span = usageSpan(parameters, clock.nowMs());
    const format = usageFormat(parameters);
    const grain = grainOf(parameters, span);
    const who = { accountId, userId: figuresOf(holder), ...filtersOf(parameters) };
    const wish = { kind: seriesOf(parameters), isCompared: hasComparison(parameters) };
    const [account, figures] = await Promise.all([
      ledger.account(accountId),
      readFigures(usage, { ...who, ...span, grain }, wish),
    ]);
    if (format === 'csv') sendCsv(exchange, figures);
    else sendJson(exchange, 200, toAnswer(span, account.balanceNanoUsd, figures));
  };

type Wish = Readonly<{ kind: 'key' | 'app' | null; isCompared: boolean }>;

async function readFigures(usage: UsageReports, query: ReportQuery & UsageSpan, wish: Wish): Promise<Figures> {
  // Daily sums have more columns than hourly ones; for 24 hours there are only the latter.
  const whole: ReportQuery & UsageSpan = { ...query, grain: query.fromHourMs === null ? 'day' : 'hour' };
  const [report, hourly, series, before] = await Promise.all([
    usage.report(whole),
    query.grain === whole.grain ? null : usage.report(query),
    wish.kind === null ? null : usage.series(query, wish.kind),
    wish.isCompared ? usage.report({ ...whole, ...spanBefore(whole) }) : null,
  ]);
  return { report, buckets: (hourly ?? report).buckets, series, before };
}

function toSeriesDay({ bucket, id, name, ...sums }: BucketOfSeries): UsageSeriesDay {
  const { spend, tokens, requests } = toFigures(sums);
  return { date: bucket, id, name, cost: spend, tokens, requests };
}

function toAnswer(span: UsageSpan, balanceNanoUsd: NanoUsd, figures: Figures): UsageAnswer {
  const { report, buckets, series, before } = figures;
  const totals = (sums: Sums) => (span.fromHourMs === null ? toTotals(sums) : toFigures(sums));
  return {
    period: span.period,
    since: sinceOf(span),
    credits: usdNumber(balanceNanoUsd),
    totals: totals(report.totals),
    byModel: report.models.map(toModelUsage),
    byKey: report.keys.map(toKeyUsage),
    byApp: report.apps.map(toAppUsage),
    timeSeries: buckets.map((bucket) => {
      const { spend, tokens, requests } = toFigures(bucket);
      return { date: bucket.bucket, model: bucket.modelId, cost: spend, tokens, requests };
    }),
    ...(series === null ? {} : { series: series.map(toSeriesDay) }),
    ...(before === null ? {} : { previous: { since: sinceOf(spanBefore(span)), totals: totals(before.totals) } }),
  };
}

/** By model, or by what `series` asks for. */
function sendCsv(exchange: Exchange, { buckets, series }: Figures): void {
  const lines =
    series?.map((line) => ({ ...line, name: line.name ?? line.id })) ??
    buckets.map((line) => ({ ...line, id: line.modelId, name: line.modelId }));
  const rows = lines.map(({ bucket, id, name, requests, promptTokens, completionTokens, spentNanoUsd }) => [
    bucket,
    id,
    name,
    ...[String(requests), String(promptTokens + completionTokens), formatUsd(spentNanoUsd)].map((decimal) => ({
      decimal,
    })),
  ]);
  const content = {
    type: 'text/csv; charset=utf-8',
    body: formatCsv([['date', 'id', 'name', 'requests', 'tokens', 'costUsd'], ...rows]),
  };
  const headers = ['Content-Disposition', 'attachment; filename="tollgate-usage.csv"'];
  sendBytes(exchange, 200, content, [...headers, 'X-Content-Type-Options', 'nosniff']);
}
