// GET /admin/v1/generations/:id/explain: why a call cost what it cost, step by step. GET /admin/v1/upstream-costs: what
// the calls of a span of days cost at each provider, to compare with its invoice.

import type { ExplanationAnswer, UpstreamCostsAnswer } from '../../contract/explanation.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Explanation, Explanations, UpstreamCost } from '../../modules/usage/explanation.ts';
import type { UsageUpkeep } from '../../modules/usage/upkeep.ts';
import { formatPricePerMillion, formatUsd } from '../../platform/money.ts';
import { plainId } from '../account/generation.ts';
import { daySpan } from '../account/usage-query.ts';
import { costLines, priceTerms } from '../cost-lines.ts';

type ExplainServices = Readonly<{
  explanations: Explanations;
  usageUpkeep: Pick<UsageUpkeep, 'droppedMonths'>;
}>;

export const explainGeneration =
  ({ explanations }: ExplainServices): Handler =>
  async (exchange) => {
    const id = plainId(exchange.params.id ?? '');
    const explanation = await explanations.ofGeneration(id);
    if (explanation === null) throw new ApiError('http_404', 'There is no such generation.');
    sendJson(exchange, 200, toAnswer(explanation));
  };

export const readUpstreamCosts =
  ({ explanations, usageUpkeep }: ExplainServices): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const { firstDay, lastDay } = daySpan(query.get('from'), query.get('to'));
    const [gone] = await usageUpkeep.droppedMonths(firstDay, lastDay);
    if (gone !== undefined) throw new ApiError('http_409', `The records of ${gone.slice(0, 7)} were dropped.`);
    const costs = await explanations.upstreamCosts({ firstDay, lastDay }, providerOf(query));
    const answer: UpstreamCostsAnswer = { from: firstDay, to: lastDay, costs: costs.map(toCost) };
    sendJson(exchange, 200, answer);
  };

/** Null for all of them. The database cannot store NUL. */
function providerOf(query: URLSearchParams): string | null {
  const name = query.get('provider');
  if (name?.includes('\0')) throw new ApiError('http_400', 'provider: must be the name of a provider.');
  return name;
}

const toCost = (cost: UpstreamCost): UpstreamCostsAnswer['costs'][number] => ({
  date: cost.day,
  provider: cost.providerName,
  upstreamModel: cost.upstreamModel,
  requests: Number(cost.requests),
  tokens: Number(cost.tokens),
  upstreamUsd: formatUsd(cost.chargedNanoUsd + cost.absorbedNanoUsd - cost.markupNanoUsd),
  chargedUsd: formatUsd(cost.chargedNanoUsd),
  absorbedUsd: formatUsd(cost.absorbedNanoUsd),
});

function toAnswer({ record, entries }: Explanation): ExplanationAnswer {
  const list = entries[0]?.priceList ?? null;
  return {
    id: record.id,
    createdAt: record.created_at.toISOString(),
    accountId: record.account_id,
    accountName: record.account_name,
    userId: record.user_id,
    userEmail: record.user_email,
    keyId: record.key_id,
    keyName: record.key_name,
    teamId: record.team_id,
    operation: record.operation,
    model: record.model_id,
    provider: record.provider_name,
    upstreamModel: record.upstream_model,
    app: record.app_name,
    streamed: record.is_stream,
    finishReason: record.finish_reason,
    durationMs: record.duration_ms,
    firstTokenMs: record.first_token_ms,
    attempts: attemptsOf(record),
    tokens: {
      prompt: Number(record.prompt_tokens),
      cached: Number(record.cached_tokens),
      cacheWrite: Number(record.cache_write_tokens),
      completion: Number(record.completion_tokens),
      reasoning: Number(record.reasoning_tokens),
    },
    price: priceOf(entries),
    lines: list === null ? [] : costLines(record, list),
    costUsd: formatUsd(record.subtotal_nano_usd - record.cache_discount_nano_usd),
    chargedUsd: formatUsd(record.cost_nano_usd),
    absorbedUsd: formatUsd(record.absorbed_nano_usd),
    absorbedReason: record.absorbed_reason,
    upstreamUsd: formatUsd(record.cost_nano_usd + record.absorbed_nano_usd - record.markup_nano_usd),
    marginUsd: formatUsd(record.markup_nano_usd - record.absorbed_nano_usd),
    entries: entries.map((entry) => ({
      id: String(entry.id),
      kind: entry.kind,
      from: entry.debitAccountId,
      to: entry.creditAccountId,
      amountUsd: formatUsd(entry.amountNanoUsd),
      createdAt: entry.createdAt.toISOString(),
      counters: entry.counters,
    })),
    archived: record.is_archived,
    auto: record.auto_decision,
    reviews: record.reviews ?? [],
  };
}

/** An ordinary call has no list of attempts, because the record itself says everything. */
function attemptsOf(record: Explanation['record']): ExplanationAnswer['attempts'] {
  if (record.attempt_log !== null) {
    return record.attempt_log.map(({ provider, upstream_model, outcome, status, duration_ms }) => ({
      provider,
      upstreamModel: upstream_model,
      outcome,
      status,
      durationMs: duration_ms,
    }));
  }
  const { provider_name: provider, upstream_model: upstreamModel, upstream_status: status } = record;
  return [{ provider, upstreamModel, outcome: 'answered', status, durationMs: record.duration_ms }];
}

function priceOf([entry]: Explanation['entries']): ExplanationAnswer['price'] {
  if (entry === undefined) return null;
  const { priceListId: version, priceList: list, priceListCreatedAt: at } = entry;
  if (version === null || list === null || at === null) return null;
  const { extras: _extras, ...prices } = list;
  const perMillion = Object.entries(prices).map(([name, price]) => [name, formatPricePerMillion(BigInt(price))]);
  return {
    version,
    firstUsedAt: at.toISOString(),
    ...priceTerms(list),
    perMillion: Object.fromEntries(perMillion),
  };
}
