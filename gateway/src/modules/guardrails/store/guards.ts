// The statements on the guards of organizations. Every one names the organization.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import type { Guard } from '../guards/guard.ts';

/** The address and the key are sealed for their row. */
export type GuardRow = Guard & Readonly<{ orgId: string; host: string; isEnabled: boolean; createdAt: Date }>;

const COLUMNS = `id, org_id AS "orgId", name, form, url, host, api_key AS "apiKey", stages, action,
  timeout_ms AS "timeoutMs", is_open_on_failure AS "isOpenOnFailure", is_enabled AS "isEnabled",
  created_at AS "createdAt"`;

const listStatement = sql('guards_list', `SELECT ${COLUMNS} FROM guards WHERE org_id = $1 ORDER BY created_at, id`);

const lockStatement = sql('guards_lock', `SELECT ${COLUMNS} FROM guards WHERE org_id = $1 AND id = $2 FOR UPDATE`);

const insertStatement = sql(
  'guards_insert',
  `INSERT INTO guards (org_id, id, name, form, url, host, api_key, stages, action, timeout_ms, is_open_on_failure,
     is_enabled, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
   WHERE (SELECT count(*) FROM guards WHERE org_id = $1) < $14
   RETURNING id`,
);

const changeStatement = sql(
  'guards_change',
  `UPDATE guards SET name = $3, stages = $4, action = $5, timeout_ms = $6, is_open_on_failure = $7, is_enabled = $8
   WHERE org_id = $1 AND id = $2`,
);

const deleteStatement = sql('guards_delete', 'DELETE FROM guards WHERE org_id = $1 AND id = $2 RETURNING id');

const insertDecisionsStatement = sql(
  'guard_decisions_insert',
  `INSERT INTO guard_decisions (org_id, guard_id, guard_name, key_id, stage, outcome, reason, duration_ms, created_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[],
     $9::timestamptz[])`,
);

const decisionsStatement = sql(
  'guard_decisions_list',
  `SELECT guard_id AS "guardId", guard_name AS "guardName", key_id AS "keyId", stage, outcome, reason,
     duration_ms AS "durationMs", created_at AS "createdAt"
   FROM guard_decisions
   WHERE org_id = $1
   ORDER BY created_at DESC LIMIT $2`,
);

const forgetOld = forgetting('guard_decisions_forget', 'guard_decisions', 'created_at < $1');

export const listGuards = (queryable: Queryable, orgId: string): Promise<GuardRow[]> =>
  queryable.query<GuardRow>(listStatement, [orgId]);

/** Locked until the transaction ends, so that a change begins with what the one before it left. */
export const lockGuard = (transaction: Queryable, orgId: string, id: string): Promise<GuardRow | null> =>
  firstRow(transaction, lockStatement, [orgId, id]);

/** False when the organization has as many guards as allowed. */
export async function insertGuard(queryable: Queryable, row: GuardRow, guardsMax: number): Promise<boolean> {
  const { orgId, id, name, form, url, host, apiKey, stages, action, timeoutMs, isOpenOnFailure, isEnabled } = row;
  const values = [orgId, id, name, form, url, host, apiKey, stages, action, timeoutMs, isOpenOnFailure, isEnabled];
  return hasRow(queryable, insertStatement, [...values, row.createdAt, guardsMax]);
}

export async function changeGuard(queryable: Queryable, row: GuardRow): Promise<void> {
  const { orgId, id, name, stages, action, timeoutMs, isOpenOnFailure, isEnabled } = row;
  await queryable.query(changeStatement, [orgId, id, name, stages, action, timeoutMs, isOpenOnFailure, isEnabled]);
}

export async function deleteGuard(queryable: Queryable, orgId: string, id: string): Promise<void> {
  await queryable.query(deleteStatement, [orgId, id]);
}

export type DecisionRow = Readonly<{
  guardId: string;
  guardName: string;
  keyId: string;
  stage: string;
  outcome: string;
  reason: string | null;
  durationMs: number;
  createdAt: Date;
}>;

export async function insertDecisions(
  queryable: Queryable,
  decisions: readonly (DecisionRow & Readonly<{ orgId: string }>)[],
): Promise<void> {
  await queryable.query(insertDecisionsStatement, [
    decisions.map(({ orgId }) => orgId),
    decisions.map(({ guardId }) => guardId),
    decisions.map(({ guardName }) => guardName),
    decisions.map(({ keyId }) => keyId),
    decisions.map(({ stage }) => stage),
    decisions.map(({ outcome }) => outcome),
    decisions.map(({ reason }) => reason),
    decisions.map(({ durationMs }) => durationMs),
    decisions.map(({ createdAt }) => createdAt),
  ]);
}

export const listDecisions = (queryable: Queryable, orgId: string, limit: number): Promise<DecisionRow[]> =>
  queryable.query<DecisionRow>(decisionsStatement, [orgId, limit]);

export const forgetDecisions = (queryable: Queryable, beforeMs: number): Promise<void> =>
  forgetOld(queryable, [new Date(beforeMs)]);
