// All calls, answered and refused, newest first. Records are found by account or by time; for a person or a key the
// daily sums are asked first in which accounts to look.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { studentName } from './student-name.ts';

/** What became of a call. */
const OUTCOMES = ['ok', 'failed', 'abandoned', 'refused'] as const;
type Outcome = (typeof OUTCOMES)[number];

export type CallRow = Readonly<{
  /** The id of the record, or of the request where there is none. */
  id: string;
  /** Unique among calls of one moment. */
  place: string;
  at: Date;
  outcome: Outcome;
  status: number;
  code: string | null;
  message: string | null;
  requestId: string | null;
  generationId: string | null;
  accountId: string | null;
  accountName: string | null;
  userId: string | null;
  userEmail: string | null;
  keyId: string | null;
  keyName: string | null;
  model: string | null;
  provider: string | null;
  appName: string | null;
  operation: string;
  isStream: boolean | null;
  finishReason: string | null;
  durationMs: number;
  firstTokenMs: number | null;
  promptTokens: bigint | null;
  completionTokens: bigint | null;
  costNanoUsd: bigint;
  absorbedNanoUsd: bigint;
  markupNanoUsd: bigint;
  standsFor: number;
}>;

export type CallFilter = Readonly<{
  /** Null for all of them. */
  accountIds: readonly string[] | null;
  userId: string | null;
  keyId: string | null;
  model: string | null;
  provider: string | null;
  appName: string | null;
  outcome: Outcome | null;
  status: number | null;
  /** Of a record or a request. */
  id: string | null;
}>;

const OUTCOME = `CASE WHEN g.upstream_status NOT BETWEEN 200 AND 299 THEN 'failed'
  WHEN g.absorbed_reason IN ('abandoned', 'interrupted', 'oversize') THEN 'abandoned' ELSE 'ok' END`;

// $1 accounts, $2 user, $3 key, $4 model, $5 provider, $6 application, $7 outcome, $8 status, $9 id,
// $10 and $11 the span, $12 and $13 the place before which to look, $14 how many.
const listStatement = sql(
  'usage_list_calls',
  `SELECT c.*, coalesce(o.name, holder.email) AS "accountName", u.email AS "userEmail", coalesce(k.name, ${studentName('c."keyId"')}) AS "keyName"
   FROM (
     (SELECT g.id, g.id AS place, g.created_at AS at, ${OUTCOME} AS outcome,
        coalesce(r.status, g.upstream_status) AS status, r.code, r.message, r.request_id AS "requestId",
        g.id AS "generationId", g.account_id AS "accountId", g.user_id AS "userId", g.key_id AS "keyId",
        g.model_id AS model, g.provider_name AS provider, g.app_name AS "appName", g.operation,
        g.is_stream AS "isStream", g.finish_reason AS "finishReason", g.duration_ms AS "durationMs",
        g.first_token_ms AS "firstTokenMs", g.prompt_tokens AS "promptTokens",
        g.completion_tokens AS "completionTokens", g.cost_nano_usd AS "costNanoUsd",
        g.absorbed_nano_usd AS "absorbedNanoUsd", coalesce(g.markup_nano_usd, 0) AS "markupNanoUsd", 1 AS "standsFor"
      FROM generations g LEFT JOIN LATERAL (
        SELECT f.status, f.code, f.message, f.request_id FROM refused_calls f WHERE f.generation_id = g.id LIMIT 1
      ) r ON g.upstream_status NOT BETWEEN 200 AND 299
      WHERE ($1::text[] IS NULL OR g.account_id = ANY ($1)) AND ($2::text IS NULL OR g.user_id = $2)
        AND ($3::text IS NULL OR g.key_id = $3) AND ($4::text IS NULL OR g.model_id = $4)
        AND ($5::text IS NULL OR g.provider_name = $5) AND ($6::text IS NULL OR g.app_name = $6)
        AND ($7::text IS NULL OR ${OUTCOME} = $7) AND ($8::integer IS NULL OR coalesce(r.status, g.upstream_status) = $8)
        AND ($9::text IS NULL OR g.id = $9) AND g.created_at >= $10 AND g.created_at < $11
        AND (g.created_at, g.id) < ($12, $13)
      ORDER BY g.created_at DESC, g.id DESC LIMIT $14)
     UNION ALL
     (SELECT f.request_id, 'refused-' || lpad(f.id::text, 19, '0'), f.created_at, 'refused', f.status, f.code,
        f.message, f.request_id, f.generation_id, f.account_id, f.user_id, f.key_id, f.model, NULL, f.app_name,
        f.operation, NULL, NULL, f.duration_ms, NULL, NULL, NULL, 0, 0, 0, f.stands_for
      FROM refused_calls f
      WHERE $5::text IS NULL AND ($7::text IS NULL OR $7 = 'refused')
        AND ($1::text[] IS NULL OR f.account_id = ANY ($1)) AND ($2::text IS NULL OR f.user_id = $2)
        AND ($3::text IS NULL OR f.key_id = $3) AND ($4::text IS NULL OR f.model = $4)
        AND ($6::text IS NULL OR f.app_name = $6) AND ($8::integer IS NULL OR f.status = $8)
        AND ($9::text IS NULL OR f.request_id = $9) AND f.created_at >= $10 AND f.created_at < $11
        AND (f.created_at, 'refused-' || lpad(f.id::text, 19, '0')) < ($12, $13)
        AND NOT EXISTS (SELECT FROM generations g WHERE g.id = f.generation_id
          AND g.created_at >= f.created_at - interval '1 day' AND g.created_at < f.created_at + interval '1 day')
      ORDER BY f.created_at DESC, f.id DESC LIMIT $14)
   ) c
   LEFT JOIN users u ON u.id = c."userId"
   LEFT JOIN users holder ON holder.id = c."accountId"
   LEFT JOIN organizations o ON o.id = c."accountId"
   LEFT JOIN api_keys k ON k.id = c."keyId"
   ORDER BY c.at DESC, c.place DESC LIMIT $14`,
);

type CallWindow = Readonly<{
  from: Date;
  to: Date;
  before: Readonly<{ at: Date; place: string }>;
  limit: number;
}>;

export function listCalls(queryable: Queryable, filter: CallFilter, window: CallWindow): Promise<CallRow[]> {
  const { accountIds, userId, keyId, model, provider, appName, outcome, status, id } = filter;
  const { from, to, before, limit } = window;
  return queryable.query<CallRow>(listStatement, [
    ...[accountIds, userId, keyId, model, provider, appName, outcome, status, id],
    ...[from, to, before.at, before.place, limit],
  ]);
}

const accountsStatement = sql(
  'usage_accounts_of',
  `SELECT DISTINCT account_id AS id FROM usage_daily_now
   WHERE ($1::text IS NULL OR user_id = $1) AND ($2::text IS NULL OR key_id = $2)
   UNION SELECT $1
   WHERE $1::text IS NOT NULL
   UNION SELECT k.account_id FROM api_keys k
   WHERE k.id = $2 OR k.user_id = $1`,
);

/** The accounts in which a person or a key may have calls. */
export async function accountsOf(
  queryable: Queryable,
  userId: string | null,
  keyId: string | null,
): Promise<readonly string[]> {
  return (await queryable.query<{ id: string }>(accountsStatement, [userId, keyId])).map(({ id }) => id);
}
