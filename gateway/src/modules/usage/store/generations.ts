// The record of one call. Only the ledger writes records, together with the charge; they are in monthly partitions, and
// the time in an id says in which to look.

import type { ReviewEntry } from '../../../canonical/generation.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { type GenerationSummaryRow, SUMMARY_COLUMNS } from './generation-list.ts';
import { studentName } from './student-name.ts';

export type GenerationRow = GenerationSummaryRow &
  Readonly<{
    /** Kept after the key is deleted. */
    key_name: string | null;
    is_failover: boolean;
    cached_tokens: bigint;
    cache_write_tokens: bigint;
    reasoning_tokens: bigint;
    prompt_audio_tokens: bigint;
    completion_image_tokens: bigint;
    subtotal_nano_usd: bigint;
    cache_discount_nano_usd: bigint;
    /** The part of the charge that was refunded. */
    refunded_nano_usd: bigint;
    /** Units of a free model's quota; zero where the caller paid. */
    free_units: number;
    /** What is not counted in tokens, by name; null where there was none. */
    units: Readonly<Record<string, number>> | null;
    /** Null when the first attempt was the only one and answered. */
    attempt_log: readonly Readonly<{ provider: string; outcome: string; status: number; duration_ms: number }>[] | null;
    /** Null where the caller named a model. */
    auto_decision: Readonly<{
      table: string;
      tier: string;
      promoted_from: string | null;
      confidence: number;
      signals: readonly Readonly<{ name: string; weight: number }>[];
    }> | null;
    /** Null where no filter was hit and no guard asked. */
    reviews: readonly ReviewEntry[] | null;
    price_list_id: string | null;
    /** Nano-USD for a million units, as decimal text, by name; null where nothing was charged. */
    price_list: Readonly<Record<string, string>> | null;
    /** The error that the client of a failed call got, as long as it is kept. */
    told: Readonly<{ status: number; code: string; message: string }> | null;
  }>;

/** By the key's id, of the account whose id is given. */
const keyName = (keyId: string, accountId: string): string =>
  `coalesce((SELECT name FROM api_keys k WHERE k.id = ${keyId} AND k.account_id = ${accountId}),
       ${studentName(keyId, accountId)})`;

const findGenerationStatement = sql(
  'usage_find_generation',
  `WITH found AS MATERIALIZED (SELECT * FROM record_of($1))
   SELECT ${SUMMARY_COLUMNS}, is_failover, cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens,
     completion_image_tokens, subtotal_nano_usd, cache_discount_nano_usd, free_units, attempt_log, auto_decision,
     reviews, units,
     ${keyName('found.key_id', '$2')} AS key_name,
     charge.price_list_id, charge.list AS price_list,
     coalesce((SELECT amount_nano_usd FROM journal_entries e WHERE e.kind = 'refund' AND e.reference = $1), 0)
       AS refunded_nano_usd,
     (SELECT jsonb_build_object('status', r.status, 'code', r.code, 'message', r.message)
      FROM refused_calls r WHERE r.generation_id = $1 LIMIT 1) AS told
   FROM found LEFT JOIN LATERAL (
     SELECT e.price_list_id, p.list FROM charge_of($1) e LEFT JOIN price_lists p ON p.id = e.price_list_id
   ) charge ON true
   WHERE account_id = $2`,
);

const findKeyNameStatement = sql('usage_find_key_name', `SELECT ${keyName('$1', '$2')} AS "keyName"`);

/** Null for a key of another account. */
export async function findKeyName(queryable: Queryable, accountId: string, keyId: string): Promise<string | null> {
  const found = await firstRow<{ keyName: string | null }>(queryable, findKeyNameStatement, [keyId, accountId]);
  return found?.keyName ?? null;
}

/** Null when there is none, or it belongs to another account. */
export const findGeneration = (
  queryable: Queryable,
  accountId: string,
  generationId: string,
): Promise<GenerationRow | null> => firstRow(queryable, findGenerationStatement, [generationId, accountId]);
