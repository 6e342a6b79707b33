// GET /v1/generation?id=: the record of one call. Another account's id is as unknown as one that never was.

import type { GenerationAnswer } from '../../contract/account.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { GenerationRow } from '../../modules/usage/store/generations.ts';
import type { Usage } from '../../modules/usage/usage.ts';
import { usdNumber } from '../../platform/money.ts';
import type { AccountHandler } from '../protect.ts';

export const readGeneration =
  (usage: Usage): AccountHandler =>
  async (exchange, holder) => {
    const id = new URLSearchParams(exchange.queryText).get('id');
    if (id === null || id === '') throw new ApiError('http_400', 'id: this query parameter is required.');
    const row = await usage.findGeneration(holder.accountId, plainId(id));
    if (row === null) throw new ApiError('http_404', 'There is no such generation.');
    sendJson(exchange, 200, toAnswer(row));
  };

/** The Responses dialect shows the id with a prefix of its own. */
function plainId(id: string): string {
  return id.startsWith('resp_') ? id.slice('resp_'.length) : id;
}

function toAnswer(row: GenerationRow): GenerationAnswer {
  const promptTokens = Number(row.prompt_tokens);
  const completionTokens = Number(row.completion_tokens);
  const cost = usdNumber(row.cost_nano_usd);
  return {
    data: {
      id: row.id,
      model: row.model_id,
      provider: row.provider_name,
      created_at: row.created_at.toISOString(),
      operation: row.operation,
      key_id: row.key_id,
      key_name: row.key_name,
      app_name: row.app_name,
      finish_reason: row.finish_reason,
      status: row.upstream_status,
      duration_ms: row.duration_ms,
      first_token_ms: row.first_token_ms,
      throughput: tokensPerSecond(completionTokens, row.duration_ms),
      streamed: row.is_stream,
      is_failover: row.is_failover,
      is_free: row.free_units > 0,
      attempts: attemptsOf(row),
      auto: row.auto_decision,
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
        prompt_tokens_details: {
          cached_tokens: Number(row.cached_tokens),
          cache_write_tokens: Number(row.cache_write_tokens),
          audio_tokens: Number(row.prompt_audio_tokens),
        },
        completion_tokens_details: {
          reasoning_tokens: Number(row.reasoning_tokens),
          image_tokens: Number(row.completion_image_tokens),
        },
        ...(row.units === null ? {} : { units: publicUnits(row.units) }),
        cost,
      },
      // The subtotal is made from what was charged, so that the three always add up, absorbed cost or not.
      cost_breakdown: {
        subtotal: usdNumber(row.cost_nano_usd + row.cache_discount_nano_usd),
        cache_discount: usdNumber(row.cache_discount_nano_usd),
        total: cost,
      },
    },
  };
}

/** Lengths of time are shown in seconds. */
function publicUnits(units: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const shown = Object.entries(units).map(([name, quantity]) =>
    name.endsWith('Ms') ? [`${name.slice(0, -'Ms'.length)}_seconds`, quantity / 1_000] : [name, quantity],
  );
  return Object.fromEntries(shown) as Record<string, number>;
}

/** The upstream's names of its models are the operator's affair and stay out. */
function attemptsOf(row: GenerationRow): GenerationAnswer['data']['attempts'] {
  const { provider_name: provider, upstream_status: status, duration_ms } = row;
  if (row.attempt_log === null) return [{ provider, outcome: 'answered', status, duration_ms }];
  return row.attempt_log.map((attempt) => ({
    provider: attempt.provider,
    outcome: attempt.outcome,
    status: attempt.status,
    duration_ms: attempt.duration_ms,
  }));
}

function tokensPerSecond(tokens: number, durationMs: number): number {
  return durationMs === 0 ? 0 : Math.round((tokens * 100_000) / durationMs) / 100;
}
