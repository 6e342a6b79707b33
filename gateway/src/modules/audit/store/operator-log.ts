// The statements on what the operator did. It is read by position, newest first.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'audit_insert_operator_entry',
  `INSERT INTO operator_audit_log (method, route, params, request_id, ip, created_at)
   VALUES ($1, $2, $3::jsonb, $4, $5, $6::timestamptz)`,
);

const listStatement = sql(
  'audit_list_operator_entries',
  `SELECT position, method, route, params, request_id AS "requestId", ip, created_at AS "createdAt"
   FROM operator_audit_log WHERE ($1::bigint IS NULL OR position < $1) ORDER BY position DESC LIMIT $2`,
);

export type NewOperatorEntryRow = Readonly<{
  method: string;
  route: string;
  params: Readonly<Record<string, string | undefined>>;
  requestId: string;
  ip: string | null;
  createdAt: Date;
}>;

export type OperatorEntryRow = Omit<NewOperatorEntryRow, 'params'> &
  Readonly<{ position: bigint; params: Readonly<Record<string, string>> }>;

export async function insertOperatorEntry(queryable: Queryable, entry: NewOperatorEntryRow): Promise<void> {
  const { method, route, params, requestId, ip, createdAt } = entry;
  await queryable.query(insertStatement, [method, route, JSON.stringify(params), requestId, ip, createdAt]);
}

export function listOperatorEntries(
  queryable: Queryable,
  before: bigint | null,
  limit: number,
): Promise<OperatorEntryRow[]> {
  return queryable.query<OperatorEntryRow>(listStatement, [before, limit]);
}
