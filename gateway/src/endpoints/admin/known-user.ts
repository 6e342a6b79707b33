// The user that a path names by id or by address, or 404.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { User } from '../../modules/identity/store/users.ts';
import type { Organization, Organizations } from '../../modules/orgs/orgs.ts';

export const userNotFound = (): ApiError => new ApiError('http_404', 'There is no such user.');

/** The id of the user whom a filter names by id or by address. */
export async function filteredUserId(name: string | null, identity: Pick<Identity, 'findUserByEmail'>) {
  if (name === null || !name.includes('@')) return name;
  const user = await identity.findUserByEmail(name);
  if (user === null) throw userNotFound();
  return user.id;
}

export async function knownUser(exchange: Exchange, identity: Identity): Promise<User> {
  const name = exchange.params.id ?? '';
  const user = name.includes('@') ? await identity.findUserByEmail(name) : await identity.findUser(name);
  if (user === null) throw userNotFound();
  return user;
}

// The organization that a path names, or 404.

export async function knownOrg(exchange: Exchange, organizations: Pick<Organizations, 'find'>): Promise<Organization> {
  const organization = await organizations.find(exchange.params.id ?? '');
  if (organization === null) throw new ApiError('http_404', 'There is no such organization.');
  return organization;
}
