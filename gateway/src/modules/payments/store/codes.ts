// The statements on codes for credit. A code is found by its hash only; the account that claims it is stored with it.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'payments_insert_codes',
  `WITH batch AS (
     INSERT INTO credit_code_batches (id, amount_nano_usd, note, expires_at) VALUES ($1, $2, $3, $4) RETURNING id
   )
   INSERT INTO credit_codes (hash, id, batch_id)
   SELECT t.hash, t.id, batch.id FROM batch CROSS JOIN unnest($5::bytea[], $6::text[]) AS t (hash, id)`,
);

export type NewBatch = Readonly<{
  id: string;
  amountNanoUsd: bigint;
  note: string;
  expiresAt: Date | null;
  codes: readonly Readonly<{ hash: Buffer; id: string }>[];
}>;

export async function insertBatch(queryable: Queryable, batch: NewBatch): Promise<void> {
  const { id, amountNanoUsd, note, expiresAt, codes } = batch;
  const columns = [codes.map(({ hash }) => hash), codes.map((code) => code.id)];
  await queryable.query(insertStatement, [id, amountNanoUsd, note, expiresAt, ...columns]);
}

// The same account gets the same answer again, because the credit may not have been entered the first time.
const claimStatement = sql(
  'payments_claim_code',
  `WITH found AS (
     SELECT c.hash, c.redeemed_at IS NOT NULL AS "isRepeated", b.amount_nano_usd AS "amountNanoUsd", b.note
     FROM credit_codes c JOIN credit_code_batches b ON b.id = c.batch_id
     WHERE c.hash = $1 AND (c.account_id = $2
       OR (c.account_id IS NULL AND b.voided_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > $4)))
     FOR UPDATE OF c
   )
   UPDATE credit_codes c SET account_id = $2, user_id = coalesce(c.user_id, $3), redeemed_at = coalesce(c.redeemed_at, $4)
   FROM found
   WHERE c.hash = found.hash
   RETURNING c.id, found."isRepeated", found."amountNanoUsd", found.note`,
);

type ClaimedRow = Readonly<{ id: string; isRepeated: boolean; amountNanoUsd: bigint; note: string }>;

/** Null for an unknown code, one that another account used, and one that is no longer valid. */
export const claimCode = (
  queryable: Queryable,
  claim: Readonly<{ hash: Buffer; accountId: string; userId: string; at: Date }>,
): Promise<ClaimedRow | null> =>
  firstRow(queryable, claimStatement, [claim.hash, claim.accountId, claim.userId, claim.at]);

const listStatement = sql(
  'payments_list_code_batches',
  `SELECT b.id, b.amount_nano_usd AS "amountNanoUsd", b.note, b.expires_at AS "expiresAt", b.voided_at AS "voidedAt",
     b.created_at AS "createdAt", count(c.id) AS codes, count(c.redeemed_at) AS redeemed
   FROM (
     SELECT * FROM credit_code_batches
     WHERE $1::text IS NULL OR (created_at, id) < (SELECT o.created_at, o.id FROM credit_code_batches o WHERE o.id = $1)
     ORDER BY created_at DESC, id DESC LIMIT $2
   ) b JOIN credit_codes c ON c.batch_id = b.id
   GROUP BY b.id, b.amount_nano_usd, b.note, b.expires_at, b.voided_at, b.created_at
   ORDER BY b.created_at DESC, b.id DESC`,
);

export type BatchRow = Readonly<{
  id: string;
  amountNanoUsd: bigint;
  note: string;
  expiresAt: Date | null;
  voidedAt: Date | null;
  createdAt: Date;
  codes: bigint;
  redeemed: bigint;
}>;

export const listBatches = (queryable: Queryable, after: string | null, limit: number): Promise<BatchRow[]> =>
  queryable.query<BatchRow>(listStatement, [after, limit]);

const voidStatement = sql(
  'payments_void_codes',
  'UPDATE credit_code_batches SET voided_at = coalesce(voided_at, $2) WHERE id = $1 RETURNING id',
);

/** False when there is no such batch. */
export const voidBatch = (queryable: Queryable, id: string, at: Date): Promise<boolean> =>
  hasRow(queryable, voidStatement, [id, at]);
