// Writes finished calls that may not be covered by a slice: from a journal, of jobs, or of a process that was swept.
// Their charges are limited to what their accounts can carry, under the accounts' locks, and new charges are folded in
// the same transaction. The same batch may be written again after a lost answer.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { CHARGEABLE, LOCKED_COLUMNS } from './locked-rows.ts';

/** A settlement as it is written: JSON, with money as decimal text because a JSON number would round it. */
export type SettlementRow = Readonly<{
  id: string;
  account_id: string;
  user_id: string;
  key_id: string;
  operation: string;
  model_id: string;
  provider_name: string;
  upstream_model: string;
  app_name: string | null;
  finish_reason: string | null;
  upstream_status: number;
  is_stream: boolean;
  is_failover: boolean;
  created_at_ms: number;
  duration_ms: number;
  first_token_ms: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  reasoning_tokens: number;
  prompt_audio_tokens: number;
  completion_image_tokens: number;
  subtotal: string;
  cache_discount: string;
  /** The whole cost; what it exceeds the charge by is absorbed. */
  cost: string;
  /** The most that may be taken from the account; zero writes the record alone. */
  charge: string;
  /** How much of the charge the writing process has set aside in its own slice of the account; nothing when absent. */
  account_part?: string;
  absorbed: string;
  absorbed_reason: string | null;
  attempts: number;
  price_list_id: string | null;
  /** Where the caller was in one. */
  team_id?: string;
  /** The counters of the caps that money was held under, and what of the charge was held of each. */
  counter_ids?: readonly string[];
  counter_parts?: readonly string[];
  /** The operator's share of the cost; zero when absent. */
  markup?: string;
  /** Units of a free model's quota. */
  free_units?: number;
  /** What was used that is not counted in tokens, by name. */
  units?: Readonly<Record<string, number>>;
  /** Every attempt, where there was more than one. */
  attempt_log?: readonly Readonly<{
    provider: string;
    upstream_model: string;
    outcome: string;
    status: number;
    duration_ms: number;
  }>[];
  /** Why the auto router chose the model, where it did. */
  auto_decision?: Readonly<{
    table: string;
    tier: string;
    promoted_from: string | null;
    confidence: number;
    signals: readonly Readonly<{ name: string; weight: number }>[];
  }>;
  /** What filters and guards have decided, where they decided anything. */
  reviews?: readonly Readonly<{
    by: string;
    name: string;
    of: string;
    outcome: string;
    reason: string | null;
  }>[];
}>;

// Accounts are locked in the order of their ids, because batches of several processes that lock in different orders
// deadlock. The limit of an account is what no other process may use: what is available, and what the writing process
// has set aside of its own slice. A running sum cuts the charges off there. A charge that is cut to nothing is entered
// all the same, because its entry keeps a repetition from being charged later. Known charges are looked up by a scalar
// subquery, which is always one index probe for each row: an anti join is planned as a scan of all charges.
const writeStatement = sql(
  'ledger_write_settlements',
  `WITH batch AS MATERIALIZED (
     SELECT * FROM ROWS FROM (json_to_recordset($2::json) AS (
       id text, account_id text, user_id text, key_id text, operation text, model_id text, provider_name text,
       upstream_model text, app_name text, finish_reason text, upstream_status integer, is_stream boolean,
       is_failover boolean, created_at_ms double precision, duration_ms integer, first_token_ms integer,
       prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, cache_write_tokens bigint,
       reasoning_tokens bigint, prompt_audio_tokens bigint, completion_image_tokens bigint, subtotal bigint,
       cache_discount bigint, cost bigint, charge bigint, absorbed bigint, absorbed_reason text, attempts integer,
       price_list_id text, team_id text, counter_ids bigint[], counter_parts bigint[], attempt_log jsonb,
       auto_decision jsonb, free_units integer, units jsonb, account_part bigint, markup bigint,
       reviews jsonb
     )) WITH ordinality
   ), locked AS MATERIALIZED (
     SELECT ${LOCKED_COLUMNS} FROM accounts a
     WHERE a.id IN (SELECT account_id FROM batch WHERE charge > 0) AND a.kind <> 'system'
     ORDER BY a.id FOR UPDATE
   ), own AS MATERIALIZED (
     SELECT s.account_id, s.amount_nano_usd
     FROM locked JOIN account_slices s ON s.account_id = locked.id
     WHERE s.process_id = $1 FOR UPDATE OF s
   ), clamped AS MATERIALIZED (
     SELECT b.id, b.account_id, b.price_list_id, b.counter_ids,
            greatest(0, least(b.charge, ${CHARGEABLE}
              + least(coalesce(own.amount_nano_usd, 0), sum(coalesce(b.account_part, 0)) OVER whole)
              + b.charge - sum(b.charge) OVER (whole ORDER BY b.ordinality)))::bigint AS amount
     FROM batch b JOIN locked ON locked.id = b.account_id LEFT JOIN own ON own.account_id = b.account_id
     WHERE b.charge > 0
       AND (SELECT e.kind FROM charge_of(b.id) e) IS NULL
     WINDOW whole AS (PARTITION BY b.account_id)
   ), inserted AS (
     INSERT INTO journal_entries (
       debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, price_list_id, counter_ids
     )
     SELECT account_id, 'system-revenue', amount, 'charge', id, price_list_id, counter_ids FROM clamped
     ON CONFLICT DO NOTHING
     RETURNING generation_id, debit_account_id AS account_id, amount_nano_usd AS amount
   ), recorded AS (
     INSERT INTO generations (
       id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model, app_name, finish_reason,
       upstream_status, is_stream, is_failover, created_at, duration_ms, first_token_ms, prompt_tokens,
       completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens,
       completion_image_tokens, subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd,
       absorbed_reason, attempts, attempt_log, auto_decision, team_id, free_units, units, markup_nano_usd,
       reviews
     )
     SELECT b.id, b.account_id, b.user_id, b.key_id, b.operation, b.model_id, b.provider_name, b.upstream_model,
            b.app_name, b.finish_reason, b.upstream_status, b.is_stream, b.is_failover,
            to_timestamp(b.created_at_ms / 1000), b.duration_ms, b.first_token_ms, b.prompt_tokens,
            b.completion_tokens, b.cached_tokens, b.cache_write_tokens, b.reasoning_tokens, b.prompt_audio_tokens,
            b.completion_image_tokens, b.subtotal, b.cache_discount, coalesce(i.amount, 0),
            b.absorbed + b.cost - coalesce(i.amount, 0),
            CASE WHEN b.cost > coalesce(i.amount, 0) THEN coalesce(b.absorbed_reason, 'exhausted')
                 ELSE b.absorbed_reason END,
            b.attempts, b.attempt_log, b.auto_decision, b.team_id, coalesce(b.free_units, 0), b.units, b.markup,
            b.reviews
     FROM batch b LEFT JOIN inserted i ON i.generation_id = b.id
     WHERE b.charge = 0 OR i.generation_id IS NOT NULL
     ON CONFLICT (id, created_at) DO NOTHING
     RETURNING id, created_at
   ), added AS MATERIALIZED (
     SELECT DISTINCT ON (b.id) b.id, b.account_id, b.account_part, b.counter_ids, b.counter_parts, r.id AS record_id,
            coalesce(r.created_at, to_timestamp(b.created_at_ms / 1000)) AS called_at, coalesce(i.amount, 0) AS amount
     FROM batch b LEFT JOIN inserted i ON i.generation_id = b.id LEFT JOIN recorded r ON r.id = b.id
     WHERE i.generation_id IS NOT NULL OR r.id IS NOT NULL
     ORDER BY b.id, b.ordinality
   ), counted AS MATERIALIZED (
     SELECT t.counter_id, sum(a.amount)::bigint AS amount, sum(least(t.part, a.amount))::bigint AS part
     FROM added a CROSS JOIN LATERAL unnest(a.counter_ids, a.counter_parts) AS t (counter_id, part)
     WHERE a.amount > 0 GROUP BY t.counter_id
   ), marked AS (
     -- A charge whose record was there before is folded without it.
     INSERT INTO unfolded_batches (
       process_id, generation_ids, called_at, account_ids, amounts, parts, counter_ids, counter_amounts, counter_parts
     )
     SELECT $1, array_agg(coalesce(a.record_id, '')), array_agg(a.called_at), array_agg(a.account_id),
            array_agg(a.amount), array_agg(least(coalesce(a.account_part, 0), a.amount)),
            ARRAY(SELECT c.counter_id FROM counted c ORDER BY 1), ARRAY(SELECT c.amount FROM counted c ORDER BY c.counter_id),
            ARRAY(SELECT c.part FROM counted c ORDER BY c.counter_id)
     FROM added a HAVING count(*) > 0
     RETURNING batch_no
   )
   SELECT marked.batch_no AS "batchNo", i.generation_id AS "generationId", i.amount AS "chargedNanoUsd"
   FROM marked LEFT JOIN inserted i ON true`,
);

const readChargesStatement = sql(
  'ledger_read_charges',
  `SELECT generation_id AS "generationId", amount_nano_usd AS "chargedNanoUsd"
   FROM unnest($1::text[]) AS t (id) CROSS JOIN LATERAL charge_of(t.id)`,
);

// Inserted in a fixed order and before the batch, so that two processes with the same new price list cannot deadlock.
const keepPriceListsStatement = sql(
  'ledger_keep_price_lists',
  `INSERT INTO price_lists (id, list)
   SELECT id, list FROM json_to_recordset($1::json) AS t (id text, list jsonb)
   ORDER BY id
   ON CONFLICT (id) DO NOTHING`,
);

/** One row for each new charge, or a single row without a charge where there were only records. */
type WrittenRow = Readonly<{
  batchNo: bigint;
  generationId: string | null;
  chargedNanoUsd: NanoUsd | null;
}>;

/** `batchJson` is the text of an array of `SettlementRow`. Answers no row when nothing was new. */
export function writeSettlements(
  transaction: Queryable,
  processId: string,
  batchJson: string,
): Promise<readonly WrittenRow[]> {
  return transaction.query<WrittenRow>(writeStatement, [processId, batchJson]);
}

export async function readCharges(
  queryable: Queryable,
  generationIds: readonly string[],
): Promise<ReadonlyMap<string, NanoUsd>> {
  const rows = await queryable.query<{ generationId: string; chargedNanoUsd: NanoUsd }>(readChargesStatement, [
    generationIds,
  ]);
  return new Map(rows.map((row) => [row.generationId, row.chargedNanoUsd]));
}

/** `listsJson` is the text of an array of `{id, list}`. */
export async function keepPriceLists(queryable: Queryable, listsJson: string): Promise<void> {
  await queryable.query(keepPriceListsStatement, [listsJson]);
}

const findChargesStatement = sql(
  'ledger_find_charges',
  'SELECT t.id FROM unnest($1::text[]) AS t (id) CROSS JOIN LATERAL charge_of(t.id)',
);

/** Which of these calls have been charged. */
export async function findCharges(queryable: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(findChargesStatement, [ids]);
  return new Set(rows.map(({ id }) => id));
}
