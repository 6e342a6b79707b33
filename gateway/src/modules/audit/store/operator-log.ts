// The statements on what operators did. It is read by position, newest first.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'audit_insert_operator_entry',
  `INSERT INTO operator_audit_log (method, route, params, request_id, ip, created_at, operator_user_id)
   VALUES ($1, $2, $3::jsonb, $4, $5, $6::timestamptz, $7)`,
);

const listStatement = sql(
  'audit_list_operator_entries',
  `SELECT l.position, l.method, l.route, l.params, l.request_id AS "requestId", l.ip, l.created_at AS "createdAt",
     l.operator_user_id AS "operatorUserId", u.email AS "operatorEmail"
   FROM operator_audit_log l LEFT JOIN users u ON u.id = l.operator_user_id
   WHERE ($1::bigint IS NULL OR l.position < $1) AND ($3::text IS NULL OR l.operator_user_id = $3)
     AND (NOT $4::boolean OR l.method <> 'GET')
   ORDER BY l.position DESC LIMIT $2`,
);

export type OperatorAction = Readonly<{
  method: string;
  /** The route's pattern, and the values of its parameters. */
  route: string;
  params: Readonly<Record<string, string | undefined>>;
  requestId: string;
  ip: string | null;
  /** Null for the operator token. */
  operatorUserId: string | null;
}>;

type NewOperatorEntryRow = OperatorAction & Readonly<{ createdAt: Date }>;

export type OperatorEntryRow = Omit<NewOperatorEntryRow, 'params'> &
  Readonly<{ position: bigint; params: Readonly<Record<string, string>>; operatorEmail: string | null }>;

export type OperatorLogQuery = Readonly<{
  /** Older than this position. */
  before: bigint | null;
  /** Of this person alone. */
  operatorUserId: string | null;
  /** Leaves out entries of reading. */
  isChangesOnly: boolean;
  limit: number;
}>;

export async function insertOperatorEntry(queryable: Queryable, entry: NewOperatorEntryRow): Promise<void> {
  const { method, route, params, requestId, ip, createdAt, operatorUserId } = entry;
  const values = [method, route, JSON.stringify(params), requestId, ip, createdAt, operatorUserId];
  await queryable.query(insertStatement, values);
}

export function listOperatorEntries(
  queryable: Queryable,
  { before, operatorUserId, isChangesOnly, limit }: OperatorLogQuery,
): Promise<OperatorEntryRow[]> {
  return queryable.query<OperatorEntryRow>(listStatement, [before, limit, operatorUserId, isChangesOnly]);
}
