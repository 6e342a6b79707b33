// The authority to manage members, teams and invitations: of an administrator of the organization, or of one team.

import type { Principal } from '../../canonical/caller.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Authority } from '../../modules/orgs/change.ts';
import { auditActor } from './audit-actor.ts';
import { type RoleServices, requireRole } from './require-role.ts';

const ADMINS: readonly OrgRole[] = ['org_admin'];
const MANAGERS: readonly OrgRole[] = ['org_admin', 'team_admin'];

/** 404 and 403 as in `requireRole`; a team_admin is allowed, limited to their own team. */
export async function requireAuthority(
  services: RoleServices,
  exchange: Exchange,
  principal: Principal,
): Promise<Authority & Readonly<{ orgId: string }>> {
  const { orgId, role, teamId } = await requireRole(services, principal, exchange.params.orgId ?? '', MANAGERS);
  // A team_admin always has a team; if one had none, the empty id would name no team.
  return { orgId, actor: auditActor(principal), onlyTeamId: role === 'org_admin' ? null : (teamId ?? '') };
}

/** The same for what only administrators of the organization may do. */
export async function requireAdmin(
  services: RoleServices,
  exchange: Exchange,
  principal: Principal,
): Promise<Authority & Readonly<{ orgId: string }>> {
  const { orgId } = await requireRole(services, principal, exchange.params.orgId ?? '', ADMINS);
  return { orgId, actor: auditActor(principal), onlyTeamId: null };
}
