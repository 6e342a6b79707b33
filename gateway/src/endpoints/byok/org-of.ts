// Which organization's upstream keys a request is about: the one of the management key, or the one in the path. Either
// way only its administrators are allowed, because these keys decide where everyone's prompts go.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { Principal } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { auditActor } from '../orgs/audit-actor.ts';
import { requireAdmin } from '../orgs/authority.ts';
import type { RoleServices } from '../orgs/require-role.ts';

type ActingFor = Readonly<{ orgId: string; actor: AuditActor }>;

export type OrgOf = (exchange: Exchange, principal: Principal) => Promise<ActingFor>;

export const boundOrg =
  ({ members }: RoleServices): OrgOf =>
  async (_, principal) => {
    const { accountId: orgId, userId } = principal;
    if (orgId === userId) {
      throw new ApiError('http_403', 'This route needs a management key that is bound to an organization.');
    }
    const member = await members.memberOf(orgId, userId);
    if (member?.role !== 'org_admin') {
      throw new ApiError(
        'http_403',
        'Your role in this organization does not allow this. Ask one of its administrators.',
      );
    }
    return { orgId, actor: auditActor(principal) };
  };

export const namedOrg =
  (services: RoleServices): OrgOf =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    return { orgId, actor: auditActor(principal) };
  };
