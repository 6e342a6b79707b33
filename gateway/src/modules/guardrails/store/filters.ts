// The statements on content filters. Each names the organization, so that the id of another's filter finds nothing.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { FilterRule } from '../filters/rule.ts';

const COLUMNS = `id, org_id AS "orgId", name, type, pattern, action, applies_to AS "appliesTo", is_enabled AS "isEnabled",
  program_size AS "programSize", created_at AS "createdAt", updated_at AS "updatedAt"`;

const lockStatement = sql('guardrails_lock_org', 'SELECT id FROM organizations WHERE id = $1 FOR UPDATE');

const listStatement = sql(
  'guardrails_list_filters',
  `SELECT ${COLUMNS} FROM content_filters WHERE org_id = $1 ORDER BY created_at, id`,
);

const findStatement = sql(
  'guardrails_find_filter',
  `SELECT ${COLUMNS} FROM content_filters WHERE org_id = $1 AND id = $2`,
);

const countStatement = sql(
  'guardrails_count_filters',
  'SELECT count(*)::int AS count FROM content_filters WHERE org_id = $1',
);

const insertStatement = sql(
  'guardrails_insert_filter',
  `INSERT INTO content_filters
     (org_id, id, name, type, pattern, action, is_enabled, program_size, updated_at, applies_to, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

const changeStatement = sql(
  'guardrails_change_filter',
  `UPDATE content_filters SET name = $3, type = $4, pattern = $5, action = $6, is_enabled = $7, program_size = $8,
     updated_at = $9, applies_to = $10
   WHERE org_id = $1 AND id = $2`,
);

const deleteStatement = sql('guardrails_delete_filter', 'DELETE FROM content_filters WHERE org_id = $1 AND id = $2');

/**
 * Locks the organization, so that its rules are changed one after the other. False when there is no such organization.
 */
export const lockOrganization = (transaction: Queryable, orgId: string): Promise<boolean> =>
  hasRow(transaction, lockStatement, [orgId]);

/** Oldest first. */
export function listFilters(queryable: Queryable, orgId: string): Promise<FilterRule[]> {
  return queryable.query<FilterRule>(listStatement, [orgId]);
}

export const findFilter = (queryable: Queryable, orgId: string, id: string): Promise<FilterRule | null> =>
  firstRow(queryable, findStatement, [orgId, id]);

export async function countFilters(queryable: Queryable, orgId: string): Promise<number> {
  const [row] = await queryable.query<{ count: number }>(countStatement, [orgId]);
  return row?.count ?? 0;
}

const valuesOf = (rule: FilterRule): unknown[] => [
  rule.orgId,
  rule.id,
  rule.name,
  rule.type,
  rule.pattern,
  rule.action,
  rule.isEnabled,
  rule.programSize,
  rule.updatedAt,
  rule.appliesTo,
];

export async function insertFilter(transaction: Queryable, rule: FilterRule): Promise<void> {
  await transaction.query(insertStatement, [...valuesOf(rule), rule.createdAt]);
}

export async function changeFilter(transaction: Queryable, rule: FilterRule): Promise<void> {
  await transaction.query(changeStatement, valuesOf(rule));
}

export async function deleteFilter(transaction: Queryable, orgId: string, id: string): Promise<void> {
  await transaction.query(deleteStatement, [orgId, id]);
}
