// Which account a signed-in person means: their own, or with `?orgId=` that of an organization whose figures their role
// lets them see. Buying for an organization takes its administrator.

import type { Role } from '../../modules/orgs/members.ts';
import { type RoleServices, requireRole } from '../orgs/require-role.ts';
import type { AccountHandler, PrincipalHandler } from '../protect.ts';

export const READERS: readonly Role[] = ['org_admin', 'billing_viewer'];
/** For what they have done themselves. */
export const MEMBERS: readonly Role[] = ['org_admin', 'billing_viewer', 'team_admin', 'member'];
export const BUYERS: readonly Role[] = ['org_admin'];

export const ofChosenAccount =
  (services: RoleServices, roles: readonly Role[], handle: AccountHandler): PrincipalHandler =>
  async (exchange, principal) => {
    const { userId } = principal;
    const orgId = new URLSearchParams(exchange.queryText).get('orgId');
    if (orgId !== null) await requireRole(services, principal, orgId, roles);
    await handle(exchange, { userId, accountId: orgId ?? userId });
  };
