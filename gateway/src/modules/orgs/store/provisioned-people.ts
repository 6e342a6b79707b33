// The statements on the people in an organization's directory. Every one names the organization.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type PersonFields = Readonly<{
  userName: string;
  externalId: string | null;
  email: string | null;
  emailNormalized: string;
  displayName: string | null;
  givenName: string | null;
  familyName: string | null;
  formattedName: string | null;
  isActive: boolean;
}>;

export type PersonRow = PersonFields &
  Readonly<{
    id: string;
    userId: string | null;
    hasOpenedAccount: boolean;
    createdAt: Date;
    changedAt: Date;
    deletedAt: Date | null;
  }>;

const COLUMNS = `id, user_id AS "userId", user_name AS "userName", external_id AS "externalId", email,
  email_normalized AS "emailNormalized", display_name AS "displayName", given_name AS "givenName",
  family_name AS "familyName", formatted_name AS "formattedName", is_active AS "isActive",
  has_opened_account AS "hasOpenedAccount", created_at AS "createdAt", changed_at AS "changedAt",
  deleted_at AS "deletedAt"`;

// A condition that was not asked for holds for everybody.
const FOUND = `FROM provisioned_people WHERE org_id = $1 AND deleted_at IS NULL
  AND ($2::text IS NULL OR lower(user_name) = lower($2)) AND ($3::text IS NULL OR external_id = $3)
  AND ($4::text IS NULL OR id = $4) AND ($5::text IS NULL OR email_normalized = $5)`;

const listStatement = sql(
  'orgs_list_provisioned_people',
  `SELECT ${COLUMNS} ${FOUND} ORDER BY created_at, id OFFSET $6 LIMIT $7`,
);

const countStatement = sql('orgs_count_provisioned_people', `SELECT count(*) AS count ${FOUND}`);

const countAllStatement = sql(
  'orgs_count_all_provisioned_people',
  'SELECT count(*) AS count FROM provisioned_people WHERE org_id = $1',
);

const findStatement = sql(
  'orgs_find_provisioned_person',
  `SELECT ${COLUMNS} FROM provisioned_people WHERE org_id = $1 AND id = $2 AND deleted_at IS NULL`,
);

const findTakenStatement = sql(
  'orgs_find_provisioned_person_taken',
  `SELECT ${COLUMNS} FROM provisioned_people
   WHERE org_id = $1 AND id <> $2 AND (email_normalized = $3 OR (lower(user_name) = lower($4) AND deleted_at IS NULL))
   ORDER BY deleted_at IS NOT NULL`,
);

const putStatement = sql(
  'orgs_put_provisioned_person',
  `INSERT INTO provisioned_people (org_id, id, user_id, user_name, external_id, email, email_normalized, display_name,
     given_name, family_name, formatted_name, is_active, has_opened_account, created_at, changed_at, deleted_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, user_name = excluded.user_name,
     external_id = excluded.external_id, email = excluded.email, email_normalized = excluded.email_normalized,
     display_name = excluded.display_name, given_name = excluded.given_name, family_name = excluded.family_name,
     formatted_name = excluded.formatted_name, is_active = excluded.is_active,
     has_opened_account = excluded.has_opened_account, changed_at = excluded.changed_at,
     deleted_at = excluded.deleted_at
   WHERE provisioned_people.org_id = excluded.org_id`,
);

// A person who was never active in the directory has no account by it, so the address tells who is meant.
const barredStatement = sql(
  'orgs_is_barred_by_provisioning',
  `SELECT 1 FROM provisioned_people p
   WHERE p.org_id = $1 AND NOT p.is_active
     AND (p.user_id = $2 OR p.user_id IS NULL
       AND p.email_normalized = (SELECT u.email_normalized FROM users u WHERE u.id = $2))
     AND EXISTS (SELECT FROM provisioning_tokens t WHERE t.org_id = $1)`,
);

export type PeopleFilter = Readonly<{
  userName: string | null;
  externalId: string | null;
  id: string | null;
  emailNormalized: string | null;
}>;

export type ListSpan = Readonly<{ offset: number; limit: number }>;

const valuesOf = (orgId: string, { userName, externalId, id, emailNormalized }: PeopleFilter) => [
  orgId,
  userName,
  externalId,
  id,
  emailNormalized,
];

export const listPeople = (
  queryable: Queryable,
  orgId: string,
  filter: PeopleFilter,
  { offset, limit }: ListSpan,
): Promise<PersonRow[]> => queryable.query<PersonRow>(listStatement, [...valuesOf(orgId, filter), offset, limit]);

export async function countPeople(queryable: Queryable, orgId: string, filter: PeopleFilter): Promise<number> {
  const [row] = await queryable.query<{ count: bigint }>(countStatement, valuesOf(orgId, filter));
  return Number(row?.count ?? 0n);
}

/** Counts deleted people too. */
export async function countEverybody(queryable: Queryable, orgId: string): Promise<number> {
  const [row] = await queryable.query<{ count: bigint }>(countAllStatement, [orgId]);
  return Number(row?.count ?? 0n);
}

export const findPerson = (queryable: Queryable, orgId: string, id: string): Promise<PersonRow | null> =>
  firstRow(queryable, findStatement, [orgId, id]);

/** Another person with this address, deleted or not, or with this user name. */
export const findTaken = (
  queryable: Queryable,
  orgId: string,
  { id, emailNormalized, userName }: Pick<PersonRow, 'id' | 'emailNormalized' | 'userName'>,
): Promise<PersonRow | null> => firstRow(queryable, findTakenStatement, [orgId, id, emailNormalized, userName]);

export async function putPerson(queryable: Queryable, orgId: string, person: PersonRow): Promise<void> {
  await queryable.query(putStatement, [
    orgId,
    person.id,
    person.userId,
    person.userName,
    person.externalId,
    person.email,
    person.emailNormalized,
    person.displayName,
    person.givenName,
    person.familyName,
    person.formattedName,
    person.isActive,
    person.hasOpenedAccount,
    person.createdAt,
    person.changedAt,
    person.deletedAt,
  ]);
}

export const isBarred = (queryable: Queryable, orgId: string, userId: string): Promise<boolean> =>
  hasRow(queryable, barredStatement, [orgId, userId]);
