// Refused calls in the database: added in batches, removed after a while.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type RefusalRow = Readonly<{
  atMs: number;
  requestId: string;
  generationId: string | null;
  accountId: string | null;
  userId: string | null;
  keyId: string | null;
  operation: string;
  model: string | null;
  appName: string | null;
  status: number;
  code: string;
  message: string;
  durationMs: number;
  standsFor: number;
}>;

const insertStatement = sql(
  'usage_insert_refusals',
  `INSERT INTO refused_calls (created_at, request_id, generation_id, account_id, user_id, key_id, operation, model,
     app_name, status, code, message, duration_ms, stands_for)
   SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
     $8::text[], $9::text[], $10::integer[], $11::text[], $12::text[], $13::integer[], $14::integer[])`,
);

export async function insertRefusals(queryable: Queryable, rows: readonly RefusalRow[]): Promise<void> {
  const column = <Value>(of: (row: RefusalRow) => Value): Value[] => rows.map(of);
  await queryable.query(insertStatement, [
    column(({ atMs }) => new Date(atMs)),
    column(({ requestId }) => requestId),
    column(({ generationId }) => generationId),
    column(({ accountId }) => accountId),
    column(({ userId }) => userId),
    column(({ keyId }) => keyId),
    column(({ operation }) => operation),
    column(({ model }) => model),
    column(({ appName }) => appName),
    column(({ status }) => status),
    column(({ code }) => code),
    column(({ message }) => message),
    column(({ durationMs }) => durationMs),
    column(({ standsFor }) => standsFor),
  ]);
}

const forgetStatement = sql(
  'usage_forget_refusals',
  `DELETE FROM refused_calls
   WHERE id IN (
     SELECT id FROM refused_calls WHERE created_at < $1 ORDER BY created_at LIMIT $2)
   RETURNING id`,
);

/** Answers how many were removed. */
export async function forgetRefusals(queryable: Queryable, before: Date, limit: number): Promise<number> {
  return (await queryable.query(forgetStatement, [before, limit])).length;
}
