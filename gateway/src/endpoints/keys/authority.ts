// Whose keys a principal manages, and what it may do with them. A person manages the keys of their own account; in an
// organization the role decides. To whoever may not see a key it does not exist.

import type { Principal } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { KeyScope } from '../../modules/identity/store/keys.ts';
import type { Member, Role } from '../../modules/orgs/members.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';

export type KeyAuthority = Readonly<{
  principal: Principal;
  /** Whose keys: a person's own account, or an organization. */
  accountId: string;
  /** What the principal is in the organization; null for a person's own account. */
  member: Member | null;
}>;

export type AuthorityOf = (exchange: Exchange, principal: Principal) => Promise<KeyAuthority>;
export type AuthorityServices = RoleServices & Readonly<{ identity: Pick<Identity, 'accountOfKey' | 'findKey'> }>;

const EVERY_ROLE: readonly Role[] = ['org_admin', 'billing_viewer', 'team_admin', 'member'];

export const keyNotFound = (): ApiError => new ApiError('http_404', 'There is no such key.');

/** Over the account that the credential is bound to. */
export const overBoundAccount =
  (services: AuthorityServices): AuthorityOf =>
  (_exchange, principal) =>
    overAccount(services, principal, principal.accountId);

/** Over the organization that the path names. */
export const overNamedOrganization =
  (services: AuthorityServices): AuthorityOf =>
  (exchange, principal) =>
    overAccount(services, principal, exchange.params.orgId ?? '');

/**
 * Over the account of the key that the path names. A session is bound to no organization, so that its owner manages the
 * keys of all of theirs; a key stays within its own.
 */
export const overAccountOfKey =
  (services: AuthorityServices): AuthorityOf =>
  async (exchange, principal) => {
    const accountId = await services.identity.accountOfKey(exchange.params.id ?? '');
    const isBound = principal.credential === 'key' && accountId !== principal.accountId;
    if (accountId === null || isBound) throw keyNotFound();
    try {
      return await overAccount(services, principal, accountId);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw keyNotFound();
      throw error;
    }
  };

async function overAccount(
  services: AuthorityServices,
  principal: Principal,
  accountId: string,
): Promise<KeyAuthority> {
  const member = accountId === principal.userId ? null : await requireRole(services, principal, accountId, EVERY_ROLE);
  return { principal, accountId, member };
}

/** A member sees the keys they hold, a team's administrator the team's, the others all. */
export function visibleKeys({ principal, accountId, member }: KeyAuthority): KeyScope {
  if (member?.role === 'member') return { accountId, userId: principal.userId };
  return member?.role === 'team_admin' ? { accountId, teamId: member.teamId ?? '' } : { accountId };
}

/** Members only use the keys that they are given, and whoever looks after the bills only looks. */
export function requireKeyWriter({ member }: KeyAuthority): void {
  if (member === null || member.role === 'org_admin' || member.role === 'team_admin') return;
  throw new ApiError('http_403', 'Your role in this organization does not allow managing keys. Ask an administrator.');
}

/** Why a key could not be found: inside their own organization an administrator of a team learns that it is not theirs. */
export async function absentKey(
  services: AuthorityServices,
  authority: KeyAuthority,
  keyId: string,
): Promise<ApiError> {
  const { accountId, member } = authority;
  if (member?.role !== 'team_admin') return keyNotFound();
  const key = await services.identity.findKey({ scope: { accountId }, keyId });
  return key === null
    ? keyNotFound()
    : new ApiError('http_403', 'This key belongs to nobody in your team. Ask an administrator of the organization.');
}
