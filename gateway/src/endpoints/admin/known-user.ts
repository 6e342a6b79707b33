// The user that a path names, or 404.

import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { User } from '../../modules/identity/user.ts';

export const userNotFound = (): ApiError => new ApiError('http_404', 'There is no such user.');

export async function knownUser(exchange: Exchange, identity: Identity): Promise<User> {
  const user = await identity.findUser(exchange.params.id ?? '');
  if (user === null) throw userNotFound();
  return user;
}
