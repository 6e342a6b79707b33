// The statements on single users.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type User = Readonly<{ id: string; email: string; name: string; isSuspended: boolean; createdAt: Date }>;

const USER_COLUMNS = 'id, email, name, is_suspended AS "isSuspended", created_at AS "createdAt"';

const insertUserStatement = sql(
  'identity_insert_user',
  `INSERT INTO users (id, email, email_normalized, name, password_hash)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (email_normalized) DO NOTHING
   RETURNING ${USER_COLUMNS}`,
);

const findUserStatement = sql('identity_find_user', `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`);

const findByEmailStatement = sql(
  'identity_find_user_by_email',
  `SELECT ${USER_COLUMNS} FROM users WHERE email_normalized = $1`,
);

const setSuspendedStatement = sql(
  'identity_set_suspended',
  `UPDATE users SET is_suspended = $2 WHERE id = $1 RETURNING ${USER_COLUMNS}`,
);

const changeProfileStatement = sql(
  'identity_change_profile',
  `UPDATE users SET email = $2, email_normalized = $3, name = $4
   WHERE id = $1 AND NOT EXISTS (SELECT FROM users o WHERE o.email_normalized = $3 AND o.id <> $1)
   RETURNING ${USER_COLUMNS}`,
);

type NewUserRow = Readonly<{
  id: string;
  email: string;
  emailNormalized: string;
  name: string;
  passwordHash: string | null;
}>;

/** Null when the address is taken. */
export async function insertUser(queryable: Queryable, user: NewUserRow): Promise<User | null> {
  const values = [user.id, user.email, user.emailNormalized, user.name, user.passwordHash];
  return firstRow<User>(queryable, insertUserStatement, values);
}

export const findUser = (queryable: Queryable, userId: string): Promise<User | null> =>
  firstRow(queryable, findUserStatement, [userId]);

export const findUserByEmail = (queryable: Queryable, emailNormalized: string): Promise<User | null> =>
  firstRow(queryable, findByEmailStatement, [emailNormalized]);

export const setSuspended = (queryable: Queryable, userId: string, isSuspended: boolean): Promise<User | null> =>
  firstRow(queryable, setSuspendedStatement, [userId, isSuspended]);

type Profile = Readonly<{ email: string; emailNormalized: string; name: string }>;

/** Null when the address belongs to another user. */
export const changeProfile = (
  queryable: Queryable,
  userId: string,
  { email, emailNormalized, name }: Profile,
): Promise<User | null> => firstRow(queryable, changeProfileStatement, [userId, email, emailNormalized, name]);
