// The statements on customers' own upstream keys. Every one names the organization, except the one that finds keys due
// for a check.

import { firstRow, hasRow, type Queryable, sql } from '../../platform/db/database.ts';
import { leaseRows } from '../../platform/db/lease-rows.ts';
import type { HealthStatus } from './health.ts';

export type FallbackMode = 'seamless' | 'strict';

export type Mapping = Readonly<{ model: string; upstreamModel: string; enabled: boolean }>;

export type ByokKeyRow = Readonly<{
  id: string;
  orgId: string;
  name: string;
  baseUrl: string;
  sealedApiKey: string;
  keyMask: string;
  protocol: string;
  fallbackMode: FallbackMode;
  isEnabled: boolean;
  scopedKeyIds: string[];
  healthStatus: HealthStatus;
  checkedAt: Date | null;
  lastError: string | null;
  createdAt: Date;
  mappings: Mapping[];
}>;

const COLUMNS = `k.id, k.org_id AS "orgId", k.name, k.base_url AS "baseUrl", k.sealed_api_key AS "sealedApiKey",
  k.key_mask AS "keyMask", k.protocol, k.fallback_mode AS "fallbackMode", k.is_enabled AS "isEnabled",
  k.scoped_key_ids AS "scopedKeyIds", k.health_status AS "healthStatus", k.checked_at AS "checkedAt",
  k.last_error AS "lastError", k.created_at AS "createdAt",
  coalesce((SELECT jsonb_agg(
      jsonb_build_object('model', m.model_id, 'upstreamModel', m.upstream_model, 'enabled', m.is_enabled)
      ORDER BY m.position)
    FROM byok_mappings m WHERE m.org_id = k.org_id AND m.byok_key_id = k.id), '[]') AS mappings`;

const listStatement = sql(
  'byok_list',
  `SELECT ${COLUMNS} FROM byok_keys k WHERE k.org_id = $1 ORDER BY k.created_at, k.id`,
);

const findStatement = sql('byok_find', `SELECT ${COLUMNS} FROM byok_keys k WHERE k.org_id = $1 AND k.id = $2`);

const lockStatement = sql('byok_lock', 'SELECT id FROM byok_keys WHERE org_id = $1 AND id = $2 FOR UPDATE');

const insertStatement = sql(
  'byok_insert',
  `INSERT INTO byok_keys (id, org_id, name, base_url, sealed_api_key, key_mask, protocol, fallback_mode, is_enabled,
     scoped_key_ids, created_at, next_check_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz, $11::timestamptz + interval '10 minutes'
   WHERE (SELECT count(*) FROM byok_keys WHERE org_id = $2) < $12
   RETURNING id`,
);

const changeStatement = sql(
  'byok_change',
  `UPDATE byok_keys SET name = $3, base_url = $4, protocol = $5, fallback_mode = $6, is_enabled = $7,
     scoped_key_ids = $8
   WHERE org_id = $1 AND id = $2`,
);

const deleteStatement = sql('byok_delete', 'DELETE FROM byok_keys WHERE org_id = $1 AND id = $2 RETURNING id');

const clearMappingsStatement = sql(
  'byok_clear_mappings',
  'DELETE FROM byok_mappings WHERE org_id = $1 AND byok_key_id = $2',
);

const insertMappingsStatement = sql(
  'byok_insert_mappings',
  `INSERT INTO byok_mappings (org_id, byok_key_id, model_id, upstream_model, is_enabled, position)
   SELECT $1, $2, given.model_id, given.upstream_model, given.is_enabled, given.position
   FROM unnest($3::text[], $4::text[], $5::boolean[])
     WITH ORDINALITY AS given (model_id, upstream_model, is_enabled, position)`,
);

const ownedKeysStatement = sql(
  'byok_owned_keys',
  'SELECT id FROM api_keys WHERE account_id = $1 AND id = ANY ($2) AND revoked_at IS NULL',
);

const setHealthStatement = sql(
  'byok_set_health',
  `UPDATE byok_keys SET health_status = $3, last_error = $4, checked_at = $5
   WHERE org_id = $1 AND id = $2 AND (checked_at IS NULL OR checked_at <= $5)`,
);

// Being claimed moves a key's next check ahead, so the latest one of an organization says when it last had its turn.
// Whoever waits longest is first: an organization with a hundred upstreams that hang delays its own checks alone.
const claimDueStatement = sql(
  'byok_claim_due',
  `${leaseRows({
    table: 'byok_keys k',
    key: 'id',
    set: 'next_check_at = $2',
    due: `is_enabled AND next_check_at <= $1
       AND EXISTS (SELECT FROM organizations o WHERE o.id = org_id AND NOT o.is_suspended)`,
    order: '(SELECT max(s.next_check_at) FROM byok_keys s WHERE s.org_id = k.org_id), next_check_at',
  })} RETURNING ${COLUMNS}`,
);

export function listKeys(queryable: Queryable, orgId: string): Promise<ByokKeyRow[]> {
  return queryable.query<ByokKeyRow>(listStatement, [orgId]);
}

export const findKey = (queryable: Queryable, orgId: string, id: string): Promise<ByokKeyRow | null> =>
  firstRow(queryable, findStatement, [orgId, id]);

/** Locks the key until the transaction ends; false when there is none. */
export const lockKey = (transaction: Queryable, orgId: string, id: string): Promise<boolean> =>
  hasRow(transaction, lockStatement, [orgId, id]);

export type NewKeyRow = Readonly<
  Omit<ByokKeyRow, 'healthStatus' | 'checkedAt' | 'lastError' | 'mappings' | 'scopedKeyIds'> & {
    scopedKeyIds: readonly string[];
  }
>;

/** False when the organization has `keysMax` already. */
export const insertKey = (queryable: Queryable, key: NewKeyRow, keysMax: number): Promise<boolean> =>
  hasRow(queryable, insertStatement, [
    key.id,
    key.orgId,
    key.name,
    key.baseUrl,
    key.sealedApiKey,
    key.keyMask,
    key.protocol,
    key.fallbackMode,
    key.isEnabled,
    key.scopedKeyIds,
    key.createdAt,
    keysMax,
  ]);

export async function changeKey(queryable: Queryable, key: ByokKeyRow): Promise<void> {
  const { orgId, id, name, baseUrl, protocol, fallbackMode, isEnabled, scopedKeyIds } = key;
  const values = [orgId, id, name, baseUrl, protocol, fallbackMode, isEnabled, scopedKeyIds];
  await queryable.query(changeStatement, values);
}

export const deleteKey = (queryable: Queryable, orgId: string, id: string): Promise<boolean> =>
  hasRow(queryable, deleteStatement, [orgId, id]);

type KeyPlace = Readonly<{ orgId: string; id: string }>;

export async function replaceMappings(
  queryable: Queryable,
  { orgId, id }: KeyPlace,
  mappings: readonly Mapping[],
): Promise<void> {
  await queryable.query(clearMappingsStatement, [orgId, id]);
  if (mappings.length === 0) return;
  await queryable.query(insertMappingsStatement, [
    orgId,
    id,
    mappings.map(({ model }) => model),
    mappings.map(({ upstreamModel }) => upstreamModel),
    mappings.map(({ enabled }) => enabled),
  ]);
}

/** Those of the ids that are keys of the organization, and not revoked. */
export async function ownedKeyIds(
  queryable: Queryable,
  orgId: string,
  keyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(ownedKeysStatement, [orgId, keyIds]);
  return new Set(rows.map(({ id }) => id));
}

type HealthRow = Readonly<{ status: HealthStatus; lastError: string | null; checkedAt: Date }>;

export async function setHealth(queryable: Queryable, { orgId, id }: KeyPlace, health: HealthRow): Promise<void> {
  await queryable.query(setHealthStatement, [orgId, id, health.status, health.lastError, health.checkedAt]);
}

export function claimDue(
  queryable: Queryable,
  due: Readonly<{ now: Date; againAfterSeconds: number; limit: number }>,
): Promise<ByokKeyRow[]> {
  const again = new Date(due.now.getTime() + due.againAfterSeconds * 1_000);
  return queryable.query<ByokKeyRow>(claimDueStatement, [due.now, again, due.limit]);
}
