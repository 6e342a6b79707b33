// People. Two users with the same normalized address are the same person.

import { ApiError } from '../../errors/api-error.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { normalizeEmail } from './email.ts';
import { hashPassword } from './password.ts';
import { insertUser, type UserRow } from './store/users.ts';

export type User = Readonly<{ id: string; email: string; name: string; isSuspended: boolean; createdAtMs: number }>;

/** The balance includes charges that are not folded yet. */
export type ListedUser = User & Readonly<{ balanceNanoUsd: NanoUsd }>;

export type NewUser = Readonly<{ email: string; name: string; password?: string | undefined }>;

export async function createUser(queryable: Queryable, user: NewUser): Promise<User> {
  const emailNormalized = normalizeEmail(user.email);
  if (emailNormalized === null) throw new ApiError('http_400', 'email: not a valid email address.');
  const row = await insertUser(queryable, {
    id: newId('usr'),
    email: user.email.trim(),
    emailNormalized,
    name: user.name,
    passwordHash: user.password === undefined ? null : await hashPassword(user.password, 'operator'),
  });
  if (row === null)
    throw new ApiError('http_409', 'A user with this email address exists already. Use another address.');
  return toUser(row);
}

export const toUser = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  isSuspended: row.is_suspended,
  createdAtMs: row.created_at.getTime(),
});
