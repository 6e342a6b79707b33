// The statements on the tokens of directories. The look-up by the hash tells the organization; every other statement
// names it.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type TokenRow = Readonly<{ id: string; name: string; suffix: string; createdAt: Date; lastUsedAt: Date | null }>;

const COLUMNS = 'id, name, suffix, created_at AS "createdAt", last_used_at AS "lastUsedAt"';

const listStatement = sql(
  'orgs_list_provisioning_tokens',
  `SELECT ${COLUMNS} FROM provisioning_tokens WHERE org_id = $1 ORDER BY created_at, id`,
);

const insertStatement = sql(
  'orgs_insert_provisioning_token',
  `INSERT INTO provisioning_tokens (id, org_id, name, hash, suffix, created_at) VALUES ($1, $2, $3, $4, $5, $6)
   RETURNING ${COLUMNS}`,
);

const deleteStatement = sql(
  'orgs_delete_provisioning_token',
  'DELETE FROM provisioning_tokens WHERE org_id = $1 AND id = $2 RETURNING name',
);

const findStatement = sql(
  'orgs_find_provisioning_token',
  `SELECT t.org_id AS "orgId", o.is_suspended AS "isSuspended", t.last_used_at AS "lastUsedAt"
   FROM provisioning_tokens t JOIN organizations o ON o.id = t.org_id
   WHERE t.hash = $1`,
);

const touchStatement = sql(
  'orgs_touch_provisioning_token',
  'UPDATE provisioning_tokens SET last_used_at = $3 WHERE org_id = $1 AND hash = $2',
);

export const listTokens = (queryable: Queryable, orgId: string): Promise<TokenRow[]> =>
  queryable.query<TokenRow>(listStatement, [orgId]);

type NewTokenRow = Readonly<{
  id: string;
  orgId: string;
  name: string;
  hash: Buffer;
  suffix: string;
  createdAt: Date;
}>;

export async function insertToken(queryable: Queryable, row: NewTokenRow): Promise<TokenRow | null> {
  const { id, orgId, name, hash, suffix, createdAt } = row;
  const [inserted] = await queryable.query<TokenRow>(insertStatement, [id, orgId, name, hash, suffix, createdAt]);
  return inserted ?? null;
}

/** Answers its name; null when there was none. */
export async function deleteToken(queryable: Queryable, orgId: string, tokenId: string): Promise<string | null> {
  const [row] = await queryable.query<{ name: string }>(deleteStatement, [orgId, tokenId]);
  return row?.name ?? null;
}

type FoundTokenRow = Readonly<{ orgId: string; isSuspended: boolean; lastUsedAt: Date | null }>;

export const findToken = (queryable: Queryable, hash: Buffer): Promise<FoundTokenRow | null> =>
  firstRow(queryable, findStatement, [hash]);

export async function touchToken(queryable: Queryable, orgId: string, hash: Buffer, usedAt: Date): Promise<void> {
  await queryable.query(touchStatement, [orgId, hash, usedAt]);
}
