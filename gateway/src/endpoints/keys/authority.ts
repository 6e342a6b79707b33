// Whose keys a principal manages, and what it may do with them. A person manages the keys of their own account; in an
// organization the role decides. A key that the principal may not see is treated as not existing.

import type { Principal } from '../../canonical/caller.ts';
import { ORG_ROLES } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { KeyScope } from '../../modules/identity/store/keys.ts';
import type { Member } from '../../modules/orgs/members.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';

export type KeyAuthority = Readonly<{
  principal: Principal;
  /** The owner of the keys: a person's own account, or an organization. */
  accountId: string;
  /** The principal's membership in the organization; null for a person's own account. */
  member: Member | null;
}>;

export type AuthorityOf = (exchange: Exchange, principal: Principal) => Promise<KeyAuthority>;
export type AuthorityServices = RoleServices & Readonly<{ identity: Pick<Identity, 'accountOfKey' | 'findKey'> }>;

export const keyNotFound = (): ApiError => new ApiError('http_404', 'There is no such key.');

/** Over the credential's own account. */
export const overBoundAccount =
  (services: AuthorityServices): AuthorityOf =>
  (_exchange, principal) =>
    overAccount(services, principal, principal.accountId);

/** Over the organization in the path. */
export const overNamedOrganization =
  (services: AuthorityServices): AuthorityOf =>
  (exchange, principal) =>
    overAccount(services, principal, exchange.params.orgId ?? '');

/**
 * Over the account of the key in the path. A session belongs to no organization, so its owner manages the keys of all
 * of theirs; a key stays within its own.
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
  const member = accountId === principal.userId ? null : await requireRole(services, principal, accountId, ORG_ROLES);
  return { principal, accountId, member };
}

/** A member sees the keys that they hold, a team's administrator the team's, the others all. */
export function visibleKeys({ principal, accountId, member }: KeyAuthority): KeyScope {
  if (member?.role === 'member') return { accountId, userId: principal.userId };
  return member?.role === 'team_admin' ? { accountId, teamId: member.teamId ?? '' } : { accountId };
}

/** Members only use the keys that they are given, and billing viewers only look. */
export function requireKeyWriter({ member }: KeyAuthority): void {
  if (member === null || member.role === 'org_admin' || member.role === 'team_admin') return;
  throw new ApiError('http_403', 'Your role in this organization does not allow managing keys. Ask an administrator.');
}

/** Why a key could not be found: within their own organization a team's administrator learns that it is not theirs. */
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
