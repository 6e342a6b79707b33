// Creates a user and the account that pays for them in one transaction, so that neither exists alone.

import type { Identity } from '../modules/identity/identity.ts';
import type { User } from '../modules/identity/store/users.ts';
import type { NewUser } from '../modules/identity/user.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import type { Queryable } from '../platform/db/database.ts';

type OpenUserServices = Readonly<{
  identity: Pick<Identity, 'createUser'>;
  ledger: Pick<Ledger, 'openAccount'>;
}>;

/** 409 when the address is taken. */
export async function openUser(
  { identity, ledger }: OpenUserServices,
  transaction: Queryable,
  newUser: NewUser,
): Promise<User> {
  const user = await identity.createUser(transaction, newUser);
  await ledger.openAccount(transaction, user.id);
  return user;
}
