// Everything that is recorded about one call, and what the calls of a day cost at each provider: for the operator, who
// sees all accounts.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { type GenerationSummaryRow, SUMMARY_COLUMNS } from './generation-list.ts';
import type { GenerationRow } from './generations.ts';
import { studentName } from './student-name.ts';

export type ExplainedRow = GenerationSummaryRow &
  Pick<GenerationRow, 'key_name' | 'cached_tokens' | 'cache_write_tokens' | 'reasoning_tokens' | 'units'> &
  Pick<GenerationRow, 'subtotal_nano_usd' | 'cache_discount_nano_usd' | 'reviews'> &
  Readonly<{
    account_id: string;
    /** The organization's name, or the person's address; null where neither is known. */
    account_name: string | null;
    user_email: string | null;
    team_id: string | null;
    upstream_model: string;
    absorbed_nano_usd: bigint;
    absorbed_reason: string | null;
    markup_nano_usd: bigint;
    attempt_log:
      | readonly (NonNullable<GenerationRow['attempt_log']>[number] & Readonly<{ upstream_model: string }>)[]
      | null;
    auto_decision: unknown;
    /** The charge was removed with an archived month. */
    is_archived: boolean;
  }>;

const recordStatement = sql(
  'usage_explain_record',
  `SELECT ${SUMMARY_COLUMNS}, account_id, team_id, upstream_model, cached_tokens, cache_write_tokens, reasoning_tokens,
     units, subtotal_nano_usd, cache_discount_nano_usd, absorbed_nano_usd, absorbed_reason,
     coalesce(markup_nano_usd, 0) AS markup_nano_usd, attempt_log, auto_decision, reviews,
     (SELECT email FROM users u WHERE u.id = user_id) AS user_email,
     coalesce((SELECT name FROM api_keys k WHERE k.id = key_id), ${studentName('record.key_id')}) AS key_name,
     coalesce((SELECT name FROM organizations o WHERE o.id = account_id),
       (SELECT email FROM users u WHERE u.id = account_id)) AS account_name,
     cost_nano_usd > 0 AND is_archived_call(id) AND NOT EXISTS (SELECT FROM charge_of($1)) AS is_archived
   FROM record_of($1) record`,
);

export type EntryRow = Readonly<{
  id: bigint;
  kind: string;
  debitAccountId: string;
  creditAccountId: string;
  amountNanoUsd: bigint;
  createdAt: Date;
  priceListId: string | null;
  /** Nano-USD for a million units, as decimal text, by name. */
  priceList: Readonly<Record<string, string>> | null;
  priceListCreatedAt: Date | null;
  counters: readonly Readonly<{ scope: string; scopeId: string; window: string; windowStart: string }>[];
}>;

const entriesStatement = sql(
  'usage_explain_entries',
  `SELECT e.id, e.kind, e.debit_account_id AS "debitAccountId", e.credit_account_id AS "creditAccountId",
     e.amount_nano_usd AS "amountNanoUsd", e.created_at AS "createdAt", e.price_list_id AS "priceListId",
     p.list AS "priceList", p.created_at AS "priceListCreatedAt",
     coalesce((
       SELECT jsonb_agg(jsonb_build_object('scope', c.scope, 'scopeId', c.scope_id, 'window', c.time_window,
         'windowStart', to_char(c.window_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) ORDER BY c.id)
       FROM spend_counters c WHERE c.id = ANY (e.counter_ids)
     ), '[]'::jsonb) AS counters
   FROM (
     SELECT * FROM charge_of($1) UNION ALL SELECT * FROM journal_entries WHERE kind = 'refund' AND reference = $1
   ) e LEFT JOIN price_lists p ON p.id = e.price_list_id
   ORDER BY e.id`,
);

/** Null when there is no such call. */
export const findExplained = (queryable: Queryable, id: string): Promise<ExplainedRow | null> =>
  firstRow(queryable, recordStatement, [id]);

export const listEntries = (queryable: Queryable, id: string): Promise<EntryRow[]> =>
  queryable.query<EntryRow>(entriesStatement, [id]);

export type UpstreamCostRow = Readonly<{
  providerName: string;
  upstreamModel: string;
  requests: bigint;
  tokens: bigint;
  chargedNanoUsd: bigint;
  absorbedNanoUsd: bigint;
  markupNanoUsd: bigint;
}>;

// The daily sums do not have the provider: all calls to one provider would share a row, and every settlement would wait
// for it. This is read now and then, so it is made from the records, a day at a time.
const upstreamCostsStatement = sql(
  'usage_upstream_costs',
  `SELECT provider_name AS "providerName", upstream_model AS "upstreamModel", count(*) AS requests,
     sum(prompt_tokens + completion_tokens)::bigint AS tokens, sum(cost_nano_usd)::bigint AS "chargedNanoUsd",
     sum(absorbed_nano_usd)::bigint AS "absorbedNanoUsd",
     coalesce(sum(markup_nano_usd), 0)::bigint AS "markupNanoUsd"
   FROM generations
   WHERE created_at >= $1::timestamp AT TIME ZONE 'UTC'
     AND created_at < ($1::timestamp + interval '1 day') AT TIME ZONE 'UTC'
     AND ($2::text IS NULL OR provider_name = $2)
   GROUP BY 1, 2
   ORDER BY 1, 2`,
);

/** `day` is `YYYY-MM-DD`; null for all providers. */
export const readUpstreamCosts = (
  queryable: Queryable,
  day: string,
  providerName: string | null,
): Promise<UpstreamCostRow[]> => queryable.query<UpstreamCostRow>(upstreamCostsStatement, [day, providerName]);
