// Makes users. Two users with the same normalized address would be the same person.

import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { normalizeEmail } from './email.ts';
import { hashPassword } from './password.ts';
import { insertUser, type User } from './store/users.ts';

export type NewUser = Readonly<{ email: string; name: string; password?: string | undefined }>;

export async function createUser(queryable: Queryable, user: NewUser): Promise<User> {
  const emailNormalized = normalizeEmail(user.email);
  if (emailNormalized === null) throw new ApiError('http_400', 'email: not a valid email address.');
  const created = await insertUser(queryable, {
    id: newId('usr'),
    email: user.email.trim(),
    emailNormalized,
    name: user.name,
    passwordHash: user.password === undefined ? null : await hashPassword(user.password, 'operator'),
  });
  if (created === null)
    throw new ApiError('http_409', 'A user with this email address exists already. Use another address.');
  return created;
}
