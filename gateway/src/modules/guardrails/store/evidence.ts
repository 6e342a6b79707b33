// The statements on evidence. It is written by refused calls, read by the operator, and removed by its age.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type EvidenceRow = Readonly<{
  id: string;
  userId: string;
  /** Null for a student, and when the user is gone. */
  email: string | null;
  accountId: string;
  keyId: string;
  categories: readonly string[];
  reviewer: string;
  operation: string;
  modelName: string;
  isCut: boolean;
  occurrences: number;
  createdAt: Date;
  lastSeenAt: Date;
}>;

type NewEvidenceRow = Omit<EvidenceRow, 'email' | 'occurrences' | 'lastSeenAt'> &
  Readonly<{ digest: string; sealedContent: string }>;

const COLUMNS = `id, user_id AS "userId", (SELECT u.email FROM users u WHERE u.id = user_id) AS "email",
  account_id AS "accountId", key_id AS "keyId", categories, reviewer, operation,
  model_name AS "modelName", is_cut AS "isCut", occurrences, created_at AS "createdAt", last_seen_at AS "lastSeenAt"`;

const insertStatement = sql(
  'guardrails_insert_evidence',
  `INSERT INTO moderation_evidence AS known
     (id, user_id, account_id, key_id, categories, reviewer, operation, model_name, digest, sealed_content, is_cut,
      created_at, last_seen_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   ON CONFLICT (user_id, digest) DO UPDATE
     SET occurrences = known.occurrences + 1, last_seen_at = excluded.last_seen_at
   RETURNING id`,
);

const listStatement = sql(
  'guardrails_list_evidence',
  `SELECT ${COLUMNS} FROM moderation_evidence
   WHERE ($1::text IS NULL OR user_id = $1)
     AND ($2::text IS NULL OR account_id = $2)
     AND ($3::text IS NULL OR $3 = ANY (categories))
     AND ($4::timestamptz IS NULL OR created_at >= $4)
     AND ($5::timestamptz IS NULL OR created_at < $5)
     AND ($6::text IS NULL OR (created_at, id) < (SELECT e.created_at, e.id FROM moderation_evidence e WHERE e.id = $6))
   ORDER BY created_at DESC, id DESC LIMIT $7`,
);

const findStatement = sql(
  'guardrails_find_evidence',
  `SELECT ${COLUMNS}, sealed_content AS "sealedContent" FROM moderation_evidence WHERE id = $1`,
);

const deleteStatement = sql(
  'guardrails_delete_old_evidence',
  `WITH old AS (SELECT id FROM moderation_evidence WHERE last_seen_at < $1 ORDER BY last_seen_at LIMIT $2)
   DELETE FROM moderation_evidence e USING old
   WHERE e.id = old.id
   RETURNING e.id`,
);

/** Answers the id of the row, which is an older one where the same text came before. */
export async function keepEvidence(queryable: Queryable, row: NewEvidenceRow): Promise<string> {
  const [kept] = await queryable.query<{ id: string }>(insertStatement, [
    row.id,
    row.userId,
    row.accountId,
    row.keyId,
    row.categories,
    row.reviewer,
    row.operation,
    row.modelName,
    row.digest,
    row.sealedContent,
    row.isCut,
    row.createdAt,
  ]);
  return kept?.id ?? row.id;
}

export type EvidenceSearch = Readonly<{
  userId: string | null;
  accountId: string | null;
  category: string | null;
  from: Date | null;
  to: Date | null;
  after: string | null;
  limit: number;
}>;

/** Newest first. Reads one more than asked for, to tell whether there is another page. */
export function listEvidence(queryable: Queryable, search: EvidenceSearch): Promise<EvidenceRow[]> {
  const { userId, accountId, category, from, to, after, limit } = search;
  return queryable.query<EvidenceRow>(listStatement, [userId, accountId, category, from, to, after, limit + 1]);
}

export const findEvidence = (
  queryable: Queryable,
  id: string,
): Promise<(EvidenceRow & Readonly<{ sealedContent: string }>) | null> => firstRow(queryable, findStatement, [id]);

/** Answers how many were removed; as many as the limit means that there may be more. */
export async function deleteEvidenceBefore(queryable: Queryable, before: Date, limit: number): Promise<number> {
  return (await queryable.query(deleteStatement, [before, limit])).length;
}
