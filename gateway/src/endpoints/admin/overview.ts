// GET /admin/v1/overview?from&to: revenue, cost, calls and people in a span of days, and what needs attention now.

import { DAY_MS, dayOf } from '../../canonical/calendar.ts';
import type { OperatorOverviewAnswer } from '../../contract/overview.ts';
import type { EntryKind } from '../../contract/statement.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Movements } from '../../modules/ledger/entries.ts';
import type { MovementRow } from '../../modules/ledger/store/entries.ts';
import type { Overview, Overviews } from '../../modules/usage/overview.ts';
import { usdNumber } from '../../platform/money.ts';
import { daySpan } from '../account/usage-query.ts';
import { type AttentionServices, attention } from './attention.ts';

type OverviewServices = AttentionServices & Readonly<{ overviews: Overviews; movements: Movements }>;

const USUAL_DAYS = 30;

export const readOperatorOverview =
  (services: OverviewServices): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const nowMs = services.clock.nowMs();
    const to = query.get('to') ?? dayOf(nowMs);
    const from = query.get('from') ?? dayOf(Math.max(0, Date.parse(to) || nowMs) - (USUAL_DAYS - 1) * DAY_MS);
    const { firstDay, lastDay } = daySpan(from, to);
    const [overview, money, balances] = await Promise.all([
      services.overviews.read(firstDay, lastDay),
      services.movements.ofDays(firstDay, lastDay),
      services.movements.balances(),
    ]);
    const refunds = money.filter(({ kind }) => kind === 'refund');
    const answer: OperatorOverviewAnswer = {
      from: firstDay,
      to: lastDay,
      totals: totalsOf(overview, sumOf(refunds)),
      money: moneyOf(money),
      balances: { prepaidUsd: usdNumber(balances.prepaidNanoUsd), owedUsd: usdNumber(balances.owedNanoUsd) },
      ...partsOf(overview),
      byDay: daysOf(overview, refunds),
      attention: await attention(services, overview.totals.absorbedNanoUsd),
    };
    sendJson(exchange, 200, answer);
  };

const sumOf = (rows: readonly MovementRow[]): bigint => rows.reduce((sum, row) => sum + row.amountNanoUsd, 0n);

function moneyOf(movements: readonly MovementRow[]): OperatorOverviewAnswer['money'] {
  return [...new Set(movements.map(({ kind }) => kind))].map((kind) => {
    const rows = movements.filter((row) => row.kind === kind);
    return {
      kind: kind as EntryKind,
      amountUsd: usdNumber(sumOf(rows)),
      entries: rows.reduce((count, { entries }) => count + Number(entries), 0),
    };
  });
}

type Figures = Pick<
  Overview['totals'],
  'calls' | 'failed' | 'promptTokens' | 'completionTokens' | 'revenueNanoUsd' | 'markupNanoUsd'
>;

const figuresOf = (row: Figures) => ({
  calls: Number(row.calls),
  failedCalls: Number(row.failed),
  promptTokens: Number(row.promptTokens),
  completionTokens: Number(row.completionTokens),
  revenueUsd: usdNumber(row.revenueNanoUsd),
  markupUsd: usdNumber(row.markupNanoUsd),
});

type Money = Pick<Overview['totals'], 'revenueNanoUsd' | 'markupNanoUsd' | 'absorbedNanoUsd'>;

/** The cost of calls: what was charged and what was absorbed, less the operator's share of both. */
const costOf = ({ revenueNanoUsd, absorbedNanoUsd, markupNanoUsd }: Money): bigint =>
  revenueNanoUsd + absorbedNanoUsd - markupNanoUsd;

function totalsOf({ totals }: Overview, refundsNanoUsd: bigint): OperatorOverviewAnswer['totals'] {
  const costNanoUsd = costOf(totals);
  return {
    ...figuresOf(totals),
    refusedCalls: Number(totals.refused),
    activeUsers: Number(totals.activeUsers),
    newUsers: Number(totals.newUsers),
    absorbedUsd: usdNumber(totals.absorbedNanoUsd),
    refundsUsd: usdNumber(refundsNanoUsd),
    costUsd: usdNumber(costNanoUsd),
    marginUsd: usdNumber(totals.revenueNanoUsd - refundsNanoUsd - costNanoUsd),
  };
}

type Parts = Pick<OperatorOverviewAnswer, 'byHour' | 'topAccounts' | 'topModels' | 'topKeys'>;

const NO_CALLS = {
  calls: 0n,
  failed: 0n,
  promptTokens: 0n,
  completionTokens: 0n,
  revenueNanoUsd: 0n,
  markupNanoUsd: 0n,
  absorbedNanoUsd: 0n,
  activeUsers: 0n,
};

/** A day with only refunds has a row, too, so that the days add up to the totals. */
function daysOf({ days }: Overview, refunds: readonly MovementRow[]): OperatorOverviewAnswer['byDay'] {
  const known = new Map(days.map((row) => [row.day, row]));
  const dates = [...new Set([...known.keys(), ...refunds.map(({ day }) => day)])].sort();
  return dates.map((date) => {
    const row = known.get(date) ?? NO_CALLS;
    const refundsNanoUsd = sumOf(refunds.filter(({ day }) => day === date));
    return {
      date,
      ...figuresOf(row),
      absorbedUsd: usdNumber(row.absorbedNanoUsd),
      refundsUsd: usdNumber(refundsNanoUsd),
      costUsd: usdNumber(costOf(row)),
      marginUsd: usdNumber(row.revenueNanoUsd - refundsNanoUsd - costOf(row)),
      activeUsers: Number(row.activeUsers),
    };
  });
}

function partsOf({ hours, top }: Overview): Parts {
  const topOf = (kind: 'account' | 'model' | 'key') => top.filter((row) => row.kind === kind);
  return {
    byHour: hours.map(({ day, hour, calls, tokens, revenueNanoUsd }) => ({
      at: `${day}T${String(hour).padStart(2, '0')}:00:00.000Z`,
      calls: Number(calls),
      tokens: Number(tokens),
      revenueUsd: usdNumber(revenueNanoUsd),
    })),
    topAccounts: topOf('account').map((row) => ({ accountId: row.id, name: row.name, ...figuresOf(row) })),
    topModels: topOf('model').map((row) => ({ model: row.id, ...figuresOf(row) })),
    topKeys: topOf('key').map((row) => ({
      keyId: row.id,
      accountId: row.accountId,
      accountName: row.accountName,
      name: row.name,
      ...figuresOf(row),
    })),
  };
}
