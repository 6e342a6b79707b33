// Reads of the calls' records. Only the ledger writes them, together with the charge; here every statement names the
// account that may see them.

import { type Queryable, sql } from '../../platform/db/database.ts';

export type GenerationRow = Readonly<{
  id: string;
  model_id: string;
  provider_name: string;
  app_name: string | null;
  finish_reason: string | null;
  upstream_status: number;
  is_stream: boolean;
  is_failover: boolean;
  created_at: Date;
  duration_ms: number;
  first_token_ms: number | null;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  cached_tokens: bigint;
  cache_write_tokens: bigint;
  reasoning_tokens: bigint;
  prompt_audio_tokens: bigint;
  completion_image_tokens: bigint;
  cache_discount_nano_usd: bigint;
  cost_nano_usd: bigint;
}>;

const findGenerationStatement = sql(
  'usage_find_generation',
  `SELECT id, model_id, provider_name, app_name, finish_reason, upstream_status, is_stream, is_failover, created_at,
     duration_ms, first_token_ms, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens,
     reasoning_tokens, prompt_audio_tokens, completion_image_tokens, cache_discount_nano_usd, cost_nano_usd
   FROM generations WHERE id = $1 AND account_id = $2`,
);

/** Null when there is none, or it is another account's. */
export async function findGeneration(
  queryable: Queryable,
  accountId: string,
  generationId: string,
): Promise<GenerationRow | null> {
  const [row] = await queryable.query<GenerationRow>(findGenerationStatement, [generationId, accountId]);
  return row ?? null;
}

export type KeyUsageRow = Readonly<{
  usage: bigint;
  usage_daily: bigint;
  usage_weekly: bigint;
  usage_monthly: bigint;
  requests: bigint;
  requests_daily: bigint;
  requests_weekly: bigint;
  requests_monthly: bigint;
}>;

const keyUsageStatement = sql(
  'usage_of_key',
  `SELECT
     coalesce(sum(cost_nano_usd), 0)::bigint AS usage,
     coalesce(sum(cost_nano_usd) FILTER (WHERE created_at >= $3), 0)::bigint AS usage_daily,
     coalesce(sum(cost_nano_usd) FILTER (WHERE created_at >= $4), 0)::bigint AS usage_weekly,
     coalesce(sum(cost_nano_usd) FILTER (WHERE created_at >= $5), 0)::bigint AS usage_monthly,
     count(*) AS requests,
     count(*) FILTER (WHERE created_at >= $3) AS requests_daily,
     count(*) FILTER (WHERE created_at >= $4) AS requests_weekly,
     count(*) FILTER (WHERE created_at >= $5) AS requests_monthly
   FROM generations WHERE account_id = $1 AND key_id = $2`,
);

export type KeyUsageQuery = Readonly<{
  accountId: string;
  keyId: string;
  dayMs: number;
  weekMs: number;
  monthMs: number;
}>;

export async function readKeyUsage(queryable: Queryable, query: KeyUsageQuery): Promise<KeyUsageRow | null> {
  const { accountId, keyId, dayMs, weekMs, monthMs } = query;
  const values = [accountId, keyId, new Date(dayMs), new Date(weekMs), new Date(monthMs)];
  const [row] = await queryable.query<KeyUsageRow>(keyUsageStatement, values);
  return row ?? null;
}

export type AbsorbedRow = Readonly<{ user_id: string; absorbed_nano_usd: bigint; calls: bigint }>;

/** For the operator, who sees all accounts. */
const absorbedStatement = sql(
  'usage_absorbed_by_user',
  `SELECT user_id, sum(absorbed_nano_usd)::bigint AS absorbed_nano_usd, count(*) AS calls
   FROM generations WHERE absorbed_nano_usd > 0
   GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT 1000`,
);

export function readAbsorbed(queryable: Queryable): Promise<AbsorbedRow[]> {
  return queryable.query<AbsorbedRow>(absorbedStatement);
}
