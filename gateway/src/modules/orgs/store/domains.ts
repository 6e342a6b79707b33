// The statements on the domains of organizations.

import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type DomainRow = Readonly<{ domain: string; token: string; confirmedAt: Date | null; createdAt: Date }>;

const listStatement = sql(
  'orgs_list_domains',
  `SELECT domain, token, confirmed_at AS "confirmedAt", created_at AS "createdAt" FROM org_domains
   WHERE org_id = $1
   ORDER BY domain`,
);

const countStatement = sql('orgs_count_domains', 'SELECT count(*)::int AS domains FROM org_domains WHERE org_id = $1');

const insertStatement = sql(
  'orgs_insert_domain',
  `INSERT INTO org_domains (org_id, domain, token, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (org_id, domain) DO NOTHING
   RETURNING domain`,
);

// The index refuses a second owner at the same moment; an existing one is found before.
const confirmStatement = sql(
  'orgs_confirm_domain',
  `UPDATE org_domains SET confirmed_at = $3
   WHERE org_id = $1 AND domain = $2
     AND NOT EXISTS (SELECT FROM org_domains other
       WHERE other.domain = $2 AND other.org_id <> $1 AND other.confirmed_at IS NOT NULL)
   RETURNING domain`,
);

const deleteStatement = sql(
  'orgs_delete_domain',
  'DELETE FROM org_domains WHERE org_id = $1 AND domain = $2 RETURNING domain',
);

const findOwnerStatement = sql(
  'orgs_find_domain_owner',
  `SELECT d.org_id AS "orgId" FROM org_domains d JOIN organizations o ON o.id = d.org_id
   WHERE d.domain = $1 AND d.confirmed_at IS NOT NULL AND NOT o.is_suspended`,
);

export const listDomains = (queryable: Queryable, orgId: string): Promise<DomainRow[]> =>
  queryable.query<DomainRow>(listStatement, [orgId]);

type NewDomainRow = Readonly<{ orgId: string; domain: string; token: string; createdAt: Date }>;

export async function insertDomain(
  queryable: Queryable,
  { orgId, domain, token, createdAt }: NewDomainRow,
  keptMax: number,
): Promise<'new' | 'known' | 'full'> {
  const [row] = await queryable.query<{ domains: number }>(countStatement, [orgId]);
  if ((row?.domains ?? 0) >= keptMax) return 'full';
  const inserted = await queryable.query(insertStatement, [orgId, domain, token, createdAt]);
  return inserted.length === 1 ? 'new' : 'known';
}

/** False when the domain belongs to another organization. */
export const confirmDomain = (
  queryable: Queryable,
  orgId: string,
  domain: string,
  confirmedAt: Date,
): Promise<boolean> => hasRow(queryable, confirmStatement, [orgId, domain, confirmedAt]);

export const deleteDomain = (queryable: Queryable, orgId: string, domain: string): Promise<boolean> =>
  hasRow(queryable, deleteStatement, [orgId, domain]);

export async function findOwner(queryable: Queryable, domain: string): Promise<string | null> {
  const [row] = await queryable.query<{ orgId: string }>(findOwnerStatement, [domain]);
  return row?.orgId ?? null;
}
