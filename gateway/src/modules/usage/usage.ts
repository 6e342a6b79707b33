// What calls have used, read by those who paid for them. Sums come from the sums by day, never from the records.

import { DAY_MS, dayOf } from '../../canonical/calendar.ts';
import { type Period, periodStartMs } from '../../canonical/spend-window.ts';
import { assert } from '../../platform/assert.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { type HeatMetric, type Insights, type InsightsQuery, readInsights } from './insights.ts';
import { type BucketOfSeries, type Report, type ReportQuery, readReport, readSeries } from './report.ts';
import { readAbsorbed } from './store/absorbed.ts';
import { type GenerationListQuery, type GenerationSummaryRow, listGenerations } from './store/generation-list.ts';
import { findGeneration, findKeyName, type GenerationRow } from './store/generations.ts';
import { type KeyActivityRow, type KeyUsageRow, readKeyActivity, readKeyUsage } from './store/key-usage.ts';
import { readPaid } from './store/paid.ts';
import type { SeriesKind } from './store/report.ts';

type PeriodFigures<Figure> = Readonly<{ total: Figure }> & Readonly<Record<Period, Figure>>;

export type KeyUsage = Readonly<{ spentNanoUsd: PeriodFigures<NanoUsd>; requests: PeriodFigures<number> }>;

export type KeyActivity = Readonly<{
  /** Null for a key that was never used. */
  lastUsedAt: Date | null;
  requestCount: number;
  totalTokens: number;
  spentNanoUsd: PeriodFigures<NanoUsd>;
}>;

export type AbsorbedCost = Readonly<{ absorbedNanoUsd: NanoUsd; calls: number }>;
type AbsorbedPart = AbsorbedCost & Readonly<{ reason: string }>;
type AbsorbedOfUser = AbsorbedCost &
  Readonly<{
    userId: string;
    reasons: readonly AbsorbedPart[];
    /** The same by reason and model; the model is empty where it is no longer known. */
    models: readonly (AbsorbedPart & Readonly<{ modelId: string }>)[];
  }>;

export type UsageReports = Readonly<{
  findGeneration(accountId: string, generationId: string): Promise<GenerationRow | null>;
  /** As the record of a call will have it. */
  findKeyName(accountId: string, keyId: string): Promise<string | null>;
  /** Newest first. */
  listGenerations(query: GenerationListQuery): Promise<readonly GenerationSummaryRow[]>;
  ofKey(accountId: string, keyId: string, nowMs: number): Promise<KeyUsage>;
  /** By key id; a key that was never used is not in it. */
  activityOfKeys(
    accountId: string,
    keyIds: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, KeyActivity>>;
  report(query: ReportQuery): Promise<Report>;
  /** The days of the keys or applications that spent most in the span. */
  series(query: ReportQuery, kind: SeriesKind): Promise<readonly BucketOfSeries[]>;
  insights(query: InsightsQuery, metric: HeatMetric): Promise<Insights>;
  /** What was charged to an account in the thirty days up to a moment. */
  paidLately(accountId: string, nowMs: number): Promise<NanoUsd>;
  /** The users with the most come first; the total includes all users. */
  absorbed(): Promise<Readonly<{ totalNanoUsd: NanoUsd; users: readonly AbsorbedOfUser[] }>>;
}>;

const PAID_DAYS = 30;

/** Reports may be read from a replica that is a little behind; a key's spending and single calls may not. */
export function createUsageReports(queryable: Queryable, reports: Queryable = queryable): UsageReports {
  return {
    findGeneration: (accountId, generationId) => findGeneration(queryable, accountId, generationId),
    findKeyName: (accountId, keyId) => findKeyName(queryable, accountId, keyId),
    listGenerations: (query) => listGenerations(queryable, query),
    async ofKey(accountId, keyId, nowMs) {
      const row = await readKeyUsage(queryable, { accountId, keyId, ...firstDays(nowMs) });
      assert(row !== null, 'an aggregate has one row');
      return toKeyUsage(row);
    },
    async activityOfKeys(accountId, keyIds, nowMs) {
      const rows = await readKeyActivity(queryable, { accountId, keyIds, ...firstDays(nowMs) });
      return new Map(rows.map((row) => [row.key_id, toActivity(row)]));
    },
    report: (query) => readReport(reports, query),
    series: (query, kind) => readSeries(reports, query, kind),
    insights: (query, metric) => readInsights(reports, query, metric),
    paidLately: (accountId, nowMs) => readPaid(queryable, accountId, dayOf(nowMs - PAID_DAYS * DAY_MS)),
    async absorbed() {
      const rows = await readAbsorbed(reports);
      return { totalNanoUsd: rows[0]?.total_nano_usd ?? 0n, users: groupByUser(rows) };
    },
  };
}

function groupByUser(rows: Awaited<ReturnType<typeof readAbsorbed>>): AbsorbedOfUser[] {
  const users = new Map<string, AbsorbedOfUser['models'][number][]>();
  for (const row of rows) {
    const { reason, model_id: modelId, absorbed_nano_usd: absorbedNanoUsd } = row;
    const parts = users.get(row.user_id) ?? [];
    users.set(row.user_id, parts);
    parts.push({ reason, modelId, absorbedNanoUsd, calls: Number(row.requests) });
  }
  return [...users].map(([userId, models]) => ({ userId, ...sumOf(models), reasons: byReason(models), models }));
}

const sumOf = (parts: readonly AbsorbedCost[]): AbsorbedCost => ({
  absorbedNanoUsd: parts.reduce((sum, part) => sum + part.absorbedNanoUsd, 0n),
  calls: parts.reduce((sum, part) => sum + part.calls, 0),
});

function byReason(parts: readonly AbsorbedPart[]): AbsorbedPart[] {
  const reasons = [...new Set(parts.map(({ reason }) => reason))];
  const sums = reasons.map((reason) => ({ reason, ...sumOf(parts.filter((part) => part.reason === reason)) }));
  return sums.sort((left, right) => Number(right.absorbedNanoUsd - left.absorbedNanoUsd));
}

const firstDays = (nowMs: number): Readonly<{ day: string; weekDay: string; monthDay: string }> => ({
  day: dayOf(periodStartMs('daily', nowMs)),
  weekDay: dayOf(periodStartMs('weekly', nowMs)),
  monthDay: dayOf(periodStartMs('monthly', nowMs)),
});

const toActivity = (row: KeyActivityRow): KeyActivity => ({
  lastUsedAt: row.last_at,
  requestCount: Number(row.requests),
  totalTokens: Number(row.tokens),
  spentNanoUsd: {
    total: row.spent,
    daily: row.spent_daily,
    weekly: row.spent_weekly,
    monthly: row.spent_monthly,
  },
});

function toKeyUsage(row: KeyUsageRow): KeyUsage {
  return {
    spentNanoUsd: {
      total: row.usage,
      daily: row.usage_daily,
      weekly: row.usage_weekly,
      monthly: row.usage_monthly,
    },
    requests: {
      total: Number(row.requests),
      daily: Number(row.requests_daily),
      weekly: Number(row.requests_weekly),
      monthly: Number(row.requests_monthly),
    },
  };
}
