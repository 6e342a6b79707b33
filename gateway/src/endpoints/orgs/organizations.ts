// GET /v1/orgs, GET and PATCH /v1/orgs/:orgId, and POST /api/orgs: the organizations that a person belongs to, and one
// of them.

import {
  ChangeOrgBody,
  FoundOrgBody,
  type MembershipsAnswer,
  type OrgDetailAnswer,
  type OrgRole,
} from '../../contract/org-management.ts';
import type { OrgAnswer } from '../../contract/orgs.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { OrgSettings } from '../../modules/orgs/settings.ts';
import type { Transcripts } from '../../modules/transcripts/transcripts.ts';
import { usdNumber } from '../../platform/money.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { given, usdField } from '../request-fields.ts';
import { auditActor } from './audit-actor.ts';
import { requireAdmin } from './authority.ts';
import { type RoleServices, requireRole } from './require-role.ts';

export type OrganizationServices = RoleServices &
  Readonly<{ organizations: Organizations; transcripts: Pick<Transcripts, 'shorten'> }>;

const READERS: readonly OrgRole[] = ['org_admin', 'billing_viewer'];

/** An organization's key sees only that organization. */
export const listOrgs =
  ({ organizations }: OrganizationServices): PrincipalHandler =>
  async (exchange, { userId, accountId }) => {
    const rows = await organizations.listOf(userId, accountId === userId ? null : accountId);
    const answer: MembershipsAnswer = {
      orgs: rows.map((row) => ({
        id: row.id,
        name: row.name,
        role: row.role,
        memberId: row.memberId,
        teamId: row.teamId,
        joinedAt: row.joinedAt.toISOString(),
        credits: usdNumber(row.balanceNanoUsd),
        status: row.isSuspended ? 'suspended' : 'active',
      })),
    };
    sendJson(exchange, 200, answer);
  };

export function foundOrg({ organizations }: OrganizationServices): PrincipalHandler {
  const readBody = bodyReader(FoundOrgBody);
  return async (exchange, principal) => {
    const { name } = await readBody(exchange);
    const { userId } = principal;
    const founded: OrgAnswer = await organizations.found(name.trim(), { ...auditActor(principal), userId });
    sendJson(exchange, 201, founded);
  };
}

export const readOrg =
  (services: OrganizationServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireRole(services, principal, exchange.params.orgId ?? '', READERS);
    sendJson(exchange, 200, await detailOf(services.organizations, orgId));
  };

export function changeOrg(services: OrganizationServices): PrincipalHandler {
  const readBody = bodyReader(ChangeOrgBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { name, settings } = await readBody(exchange);
    await services.organizations.change(orgId, { name: name?.trim(), settings: settingsOf(settings) }, actor);
    const days = settings?.transcripts?.days;
    if (days !== undefined) await services.transcripts.shorten(orgId, days);
    sendJson(exchange, 200, await detailOf(services.organizations, orgId));
  };
}

function settingsOf(settings: ChangeOrgBody['settings']): Partial<OrgSettings> {
  return given({
    defaultMemberBudgetNanoUsd: usdField('settings.defaultMemberBudget', settings?.defaultMemberBudget),
    canTeamAdminsInvite: settings?.teamAdminsMayInvite,
    needsSecondFactor: settings?.needsSecondFactor,
    cacheTtlSeconds: settings?.cacheTtlSeconds,
    isCacheShared: settings?.cacheShared,
    transcripts: settings?.transcripts,
  });
}

async function detailOf(organizations: Organizations, orgId: string): Promise<OrgDetailAnswer> {
  const [organization, counts] = await Promise.all([organizations.find(orgId), organizations.countParts(orgId)]);
  if (organization === null) throw new ApiError('http_404', 'There is no such organization.');
  const { id, name, billing, seats, balanceNanoUsd, settings } = organization;
  const budget = settings.defaultMemberBudgetNanoUsd;
  return {
    id,
    name,
    billingPlan: billing.kind,
    creditLine: billing.kind === 'monthly' ? usdNumber(billing.creditLineNanoUsd) : null,
    seats,
    credits: usdNumber(balanceNanoUsd),
    settings: {
      defaultMemberBudget: budget === null ? null : usdNumber(budget),
      teamAdminsMayInvite: settings.canTeamAdminsInvite,
      needsSecondFactor: settings.needsSecondFactor,
      cacheTtlSeconds: settings.cacheTtlSeconds,
      cacheShared: settings.isCacheShared,
      transcripts: settings.transcripts,
    },
    ...counts,
  };
}
