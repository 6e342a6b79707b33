// The keys of institutions and what their organizations have decided.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { DEFAULT_CONFIG, type EduConfig } from '../config.ts';

export type EduKeyRow = Readonly<{ id: string; name: string; prefix: string; suffix: string; createdAt: Date }>;

const KEY_COLUMNS = 'id, name, prefix, suffix, created_at AS "createdAt"';

const listStatement = sql(
  'edu_list_keys',
  `SELECT ${KEY_COLUMNS} FROM edu_keys WHERE org_id = $1 AND revoked_at IS NULL ORDER BY created_at, id`,
);

const insertStatement = sql(
  'edu_insert_key',
  `INSERT INTO edu_keys (id, org_id, hash, name, prefix, suffix, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7::timestamptz
   WHERE (SELECT count(*) FROM edu_keys WHERE org_id = $2
            AND (revoked_at IS NULL OR created_at > $7::timestamptz - interval '1 day')) < $8::integer
   RETURNING ${KEY_COLUMNS}`,
);

const revokeStatement = sql(
  'edu_revoke_key',
  `UPDATE edu_keys SET revoked_at = $3 WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING ${KEY_COLUMNS}`,
);

const CONFIG_COLUMNS = `c.allowed_domains AS "allowedDomains", c.session_ttl_seconds AS "sessionTtlSeconds",
  c.verification_ttl_seconds AS "verificationTtlSeconds", c.sessions_max AS "sessionsMax",
  c.requests_max AS "requestsMax", c.tokens_max AS "tokensMax", c.spend_max_nano_usd AS "spendMaxNanoUsd"`;

/** The columns of a key and its organization. Those of a configuration are null where there is none. */
export const INSTITUTION_COLUMNS = `k.id AS "keyId", o.id AS "orgId", o.name AS "orgName",
  o.is_suspended AS "isSuspended", o.is_vouched AS "isVouched", o.member_domains AS "memberDomains",
  ARRAY(SELECT d.domain FROM org_domains d WHERE d.org_id = o.id AND d.confirmed_at IS NOT NULL) AS "confirmedDomains",
  ${CONFIG_COLUMNS}`;
export const INSTITUTION_TABLES =
  'edu_keys k JOIN organizations o ON o.id = k.org_id LEFT JOIN edu_configs c ON c.org_id = k.org_id';

const findStatement = sql(
  'edu_find_institution',
  `SELECT ${INSTITUTION_COLUMNS} FROM ${INSTITUTION_TABLES} WHERE k.hash = $1 AND k.revoked_at IS NULL`,
);

const readConfigStatement = sql(
  'edu_read_config',
  `SELECT ${CONFIG_COLUMNS} FROM organizations o LEFT JOIN edu_configs c ON c.org_id = o.id WHERE o.id = $1`,
);

const lockOrgStatement = sql(
  'edu_lock_org',
  `SELECT is_vouched AS "isVouched",
     ARRAY(SELECT d.domain FROM org_domains d WHERE d.org_id = id AND d.confirmed_at IS NOT NULL) AS "confirmedDomains"
   FROM organizations
   WHERE id = $1 FOR NO KEY UPDATE`,
);

const writeConfigStatement = sql(
  'edu_write_config',
  `INSERT INTO edu_configs (
     org_id, allowed_domains, session_ttl_seconds, verification_ttl_seconds, sessions_max, requests_max, tokens_max,
     spend_max_nano_usd
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (org_id) DO UPDATE SET
     allowed_domains = excluded.allowed_domains, session_ttl_seconds = excluded.session_ttl_seconds,
     verification_ttl_seconds = excluded.verification_ttl_seconds, sessions_max = excluded.sessions_max,
     requests_max = excluded.requests_max, tokens_max = excluded.tokens_max,
     spend_max_nano_usd = excluded.spend_max_nano_usd`,
);

type ConfigColumns = Readonly<{
  allowedDomains: string[];
  sessionTtlSeconds: number;
  verificationTtlSeconds: number;
  sessionsMax: number;
  requestsMax: bigint | null;
  tokensMax: bigint | null;
  spendMaxNanoUsd: bigint | null;
}>;

export type ConfigRow = ConfigColumns | Readonly<{ [Column in keyof ConfigColumns]: null }>;

type LockedOrg = Readonly<{ isVouched: boolean; confirmedDomains: readonly string[] }>;

export type InstitutionRow = Readonly<{
  keyId: string;
  orgId: string;
  orgName: string;
  isSuspended: boolean;
  /**
   * The operator vouches for the organization: for the named domains, or for all domains that it names itself where
   * none are.
   */
  isVouched: boolean;
  memberDomains: readonly string[];
  /** Domains that the organization has proven to own. */
  confirmedDomains: readonly string[];
}> &
  ConfigRow;

const numberOf = (count: bigint | null): number | null => (count === null ? null : Number(count));

export function configOf(row: ConfigRow): EduConfig {
  if (row.allowedDomains === null) return DEFAULT_CONFIG;
  return {
    allowedDomains: row.allowedDomains,
    sessionTtlSeconds: row.sessionTtlSeconds,
    verificationTtlSeconds: row.verificationTtlSeconds,
    maxSessionsPerEmailPerKey: row.sessionsMax,
    maxRequests: numberOf(row.requestsMax),
    maxTokens: numberOf(row.tokensMax),
    maxNanoUsd: row.spendMaxNanoUsd,
  };
}

/** Oldest first, without the revoked ones. */
export const listKeys = (queryable: Queryable, orgId: string): Promise<EduKeyRow[]> =>
  queryable.query<EduKeyRow>(listStatement, [orgId]);

type NewEduKeyRow = Readonly<{
  id: string;
  orgId: string;
  hash: Buffer;
  name: string;
  prefix: string;
  suffix: string;
  createdAtMs: number;
}>;

/** Null when the organization has, or had within a day, as many keys as it may. */
export async function insertKey(queryable: Queryable, key: NewEduKeyRow, countMax: number): Promise<EduKeyRow | null> {
  const { id, orgId, hash, name, prefix, suffix, createdAtMs } = key;
  const values = [id, orgId, hash, name, prefix, suffix, new Date(createdAtMs), countMax];
  return firstRow<EduKeyRow>(queryable, insertStatement, values);
}

/** Null when the organization has no such key. */
export const revokeKey = (
  queryable: Queryable,
  { orgId, id, atMs }: Readonly<{ orgId: string; id: string; atMs: number }>,
): Promise<EduKeyRow | null> => firstRow(queryable, revokeStatement, [orgId, id, new Date(atMs)]);

/** Null when no key has this hash, or one that is revoked. */
export const findInstitution = (queryable: Queryable, keyHash: Buffer): Promise<InstitutionRow | null> =>
  firstRow(queryable, findStatement, [keyHash]);

export async function readConfig(queryable: Queryable, orgId: string): Promise<EduConfig> {
  const [row] = await queryable.query<ConfigRow>(readConfigStatement, [orgId]);
  return row === undefined ? DEFAULT_CONFIG : configOf(row);
}

/** Locks the organization until the transaction ends. Answers whether the operator vouches for it. */
export async function lockOrg(transaction: Queryable, orgId: string): Promise<LockedOrg> {
  const [row] = await transaction.query<LockedOrg>(lockOrgStatement, [orgId]);
  return row ?? { isVouched: false, confirmedDomains: [] };
}

export async function writeConfig(queryable: Queryable, orgId: string, config: EduConfig): Promise<void> {
  await queryable.query(writeConfigStatement, [
    orgId,
    config.allowedDomains,
    config.sessionTtlSeconds,
    config.verificationTtlSeconds,
    config.maxSessionsPerEmailPerKey,
    config.maxRequests,
    config.maxTokens,
    config.maxNanoUsd,
  ]);
}
