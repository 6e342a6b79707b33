// The routes by which people manage their organizations. What an organization spends has a table of its own.

import type { RouteRow } from '../../http/exchange.ts';
import type { Protect } from '../protect.ts';
import { type AllowedModelsServices, readAllowedModels, replaceAllowedModels } from './allowed-models.ts';
import { type AuditLogServices, readAuditLog } from './audit-log.ts';
import {
  acceptInvitation,
  createInvitation,
  type InvitationServices,
  listInvitations,
  previewInvitation,
  withdrawInvitation,
} from './invitations.ts';
import { addMember, changeMember, listMembers, type MemberServices, removeMember } from './members.ts';
import { changeOrg, foundOrg, listOrgs, type OrganizationServices, readOrg } from './organizations.ts';
import { declineInvitation, leaveOrg, type OwnMembershipServices, readHeld } from './own-memberships.ts';
import { changeTeam, createTeam, deleteTeam, listTeams, type TeamServices } from './teams.ts';

type OrgRouteServices = OrganizationServices &
  TeamServices &
  MemberServices &
  InvitationServices &
  OwnMembershipServices &
  AllowedModelsServices &
  AuditLogServices;

// biome-ignore format: a table reads best with one row a line.
export function orgRoutes(services: OrgRouteServices, { principal, listing }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/v1/orgs', access: 'person', handle: principal(listOrgs(services)) },
    { method: 'POST', path: '/api/orgs', access: 'session', handle: principal(foundOrg(services)) },
    { method: 'GET', path: '/v1/orgs/:orgId', access: 'manager', handle: principal(readOrg(services)) },
    { method: 'PATCH', path: '/v1/orgs/:orgId', access: 'manager', handle: principal(changeOrg(services)) },
    { method: 'GET', path: '/v1/orgs/:orgId/teams', access: 'manager', handle: principal(listTeams(services)) },
    { method: 'POST', path: '/v1/orgs/:orgId/teams', access: 'manager', handle: principal(createTeam(services)) },
    { method: 'PATCH', path: '/v1/orgs/:orgId/teams/:teamId', access: 'manager', handle: principal(changeTeam(services)) },
    { method: 'DELETE', path: '/v1/orgs/:orgId/teams/:teamId', access: 'manager', handle: principal(deleteTeam(services)) },
    { method: 'GET', path: '/v1/orgs/:orgId/members', access: 'manager', handle: principal(listMembers(services)) },
    { method: 'POST', path: '/v1/orgs/:orgId/members', access: 'manager', handle: principal(addMember(services)) },
    { method: 'PATCH', path: '/v1/orgs/:orgId/members/:memberId', access: 'manager', handle: principal(changeMember(services)) },
    { method: 'DELETE', path: '/v1/orgs/:orgId/members/:memberId', access: 'manager', handle: principal(removeMember(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/invitations', access: 'manager', handle: principal(listInvitations(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/invitations', access: 'manager', handle: principal(createInvitation(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/invitations/:invitationId', access: 'manager', handle: principal(withdrawInvitation(services)) },
    { method: 'GET', path: '/api/account/held', access: 'session', handle: principal(readHeld(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/leave', access: 'session', handle: principal(leaveOrg(services)) },
    { method: 'POST', path: '/api/invitations/decline', access: 'session', handle: principal(declineInvitation(services)) },
    { method: 'POST', path: '/api/invitations/accept', access: 'session', handle: principal(acceptInvitation(services)) },
    { method: 'GET', path: '/api/invitations/:token', access: 'public', handle: listing(previewInvitation(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/allowed-models', access: 'manager', handle: principal(readAllowedModels(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/allowed-models', access: 'manager', handle: principal(replaceAllowedModels(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/teams/:teamId/allowed-models', access: 'manager', handle: principal(readAllowedModels(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/teams/:teamId/allowed-models', access: 'manager', handle: principal(replaceAllowedModels(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/members/:memberId/allowed-models', access: 'manager', handle: principal(readAllowedModels(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/members/:memberId/allowed-models', access: 'manager', handle: principal(replaceAllowedModels(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/audit-log', access: 'manager', handle: principal(readAuditLog(services)) },
  ];
}
