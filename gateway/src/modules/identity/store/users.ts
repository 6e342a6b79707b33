// The statements on users. A search is for the first letters of an address or a name, so that an index answers it.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { textStart } from '../../../platform/db/text-start.ts';

export type UserRow = Readonly<{
  id: string;
  email: string;
  name: string;
  is_suspended: boolean;
  created_at: Date;
}>;

const USER_COLUMNS = 'id, email, name, is_suspended, created_at';

const insertUserStatement = sql(
  'identity_insert_user',
  `INSERT INTO users (id, email, email_normalized, name, password_hash)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (email_normalized) DO NOTHING
   RETURNING ${USER_COLUMNS}`,
);

const findUserStatement = sql('identity_find_user', `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`);

const setSuspendedStatement = sql(
  'identity_set_suspended',
  `UPDATE users SET is_suspended = $2 WHERE id = $1 RETURNING ${USER_COLUMNS}`,
);

// Newest first. A cursor that names nobody gives an empty page.
const listUsersStatement = sql(
  'identity_list_users',
  `SELECT ${USER_COLUMNS} FROM users
   WHERE $1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM users WHERE id = $1)
   ORDER BY created_at DESC, id DESC LIMIT $2`,
);

// One branch for each index: a condition that joins them with OR would be answered by reading everybody.
const searchUsersStatement = sql(
  'identity_search_users',
  `SELECT ${USER_COLUMNS} FROM users WHERE id IN (
     SELECT id FROM users WHERE id = $1
     UNION SELECT id FROM users WHERE email_normalized LIKE lower($2)
     UNION SELECT id FROM users WHERE lower(name) LIKE lower($2)
   ) AND ($3::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM users WHERE id = $3))
   ORDER BY created_at DESC, id DESC LIMIT $4`,
);

export type NewUserRow = Readonly<{
  id: string;
  email: string;
  emailNormalized: string;
  name: string;
  passwordHash: string | null;
}>;

/** Null when the address is taken. */
export async function insertUser(queryable: Queryable, user: NewUserRow): Promise<UserRow | null> {
  const values = [user.id, user.email, user.emailNormalized, user.name, user.passwordHash];
  const [row] = await queryable.query<UserRow>(insertUserStatement, values);
  return row ?? null;
}

export async function findUser(queryable: Queryable, userId: string): Promise<UserRow | null> {
  const [row] = await queryable.query<UserRow>(findUserStatement, [userId]);
  return row ?? null;
}

export async function setSuspended(
  queryable: Queryable,
  userId: string,
  isSuspended: boolean,
): Promise<UserRow | null> {
  const [row] = await queryable.query<UserRow>(setSuspendedStatement, [userId, isSuspended]);
  return row ?? null;
}

export type UserSearch = Readonly<{ text: string | null; after: string | null; limit: number }>;

export function searchUsers(queryable: Queryable, { text, after, limit }: UserSearch): Promise<UserRow[]> {
  if (text === null) return queryable.query<UserRow>(listUsersStatement, [after, limit]);
  return queryable.query<UserRow>(searchUsersStatement, [text, textStart(text), after, limit]);
}
