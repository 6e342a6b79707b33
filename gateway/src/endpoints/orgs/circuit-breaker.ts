// GET and PATCH /api/orgs/:orgId/circuit-breaker, the same below /teams/:teamId and /members/:memberId: the spend
// breakers of an organization. A team_admin may change only those of their own team and its members.

import type { AuditEntry } from '../../canonical/audit-entry.ts';
import type { Principal } from '../../canonical/caller.ts';
import type { SpendScope } from '../../canonical/spend-cap.ts';
import { BreakerBody, type OrgBreakerAnswer } from '../../contract/breaker.ts';
import type { OrgRole } from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { BreakerOwner, LayerChange, OrgBreaker, OrgBreakers } from '../../modules/orgs/breakers.ts';
import { usdNumber } from '../../platform/money.ts';
import { breakerAnswer, breakerChange, layerAnswer } from '../breaker-settings.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { auditActor } from './audit-actor.ts';
import { type RoleServices, requireRole } from './require-role.ts';

export type OrgBreakerServices = RoleServices &
  Readonly<{ orgBreakers: OrgBreakers; ledger: Pick<Ledger, 'used'>; audit: Pick<Audit, 'record'> }>;

const READERS: readonly OrgRole[] = ['org_admin', 'team_admin', 'billing_viewer'];
const WRITERS: readonly OrgRole[] = ['org_admin', 'team_admin'];

export const readOrgBreaker =
  (services: OrgBreakerServices): PrincipalHandler =>
  async (exchange, principal) => {
    const target = targetOf(exchange);
    const breaker = await permitted(services, { principal, target, roles: READERS });
    sendJson(exchange, 200, await answerOf(services, breaker));
  };

export function changeOrgBreaker(services: OrgBreakerServices): PrincipalHandler {
  const readBody = bodyReader(BreakerBody);
  return async (exchange, principal) => {
    const target = targetOf(exchange);
    await permitted(services, { principal, target, roles: WRITERS });
    const change = breakerChange(await readBody(exchange));
    const changed = await services.orgBreakers.change(target, change, (transaction, layers) =>
      services.audit.record(transaction, entryOf(target, principal, layers)),
    );
    sendJson(exchange, 200, await answerOf(services, changed ?? notFound(target)));
  };
}

function targetOf({ params }: Exchange): BreakerOwner {
  const { orgId = '', teamId, memberId } = params;
  if (memberId !== undefined) return { scope: 'member', orgId, id: memberId };
  if (teamId !== undefined) return { scope: 'team', orgId, id: teamId };
  return { scope: 'org', orgId, id: orgId };
}

type Wish = Readonly<{ principal: Principal; target: BreakerOwner; roles: readonly OrgRole[] }>;

/** The breaker, if the principal may do this with it. */
async function permitted(services: OrgBreakerServices, { principal, target, roles }: Wish): Promise<OrgBreaker> {
  const { role, teamId } = await requireRole(services, principal, target.orgId, roles);
  const breaker = (await services.orgBreakers.find(target)) ?? notFound(target);
  const isOwnTeam = target.scope !== 'org' && breaker.teamId !== null && breaker.teamId === teamId;
  if (role === 'team_admin' && !isOwnTeam) {
    throw new ApiError(
      'http_403',
      'Your role covers your own team and its members only. Ask an administrator of your organization.',
    );
  }
  return breaker;
}

async function answerOf({ ledger }: OrgBreakerServices, breaker: OrgBreaker): Promise<OrgBreakerAnswer> {
  const { isEnabled, minuteNanoUsd, hourNanoUsd } = breaker.inherited;
  return {
    ...(await breakerAnswer(breaker, ledger)),
    inheritedSettings: {
      cbEnabled: inheritedField(isEnabled.value, isEnabled.from),
      cbMinuteUsd: inheritedField(usdNumber(minuteNanoUsd.value), minuteNanoUsd.from),
      cbHourlyUsd: inheritedField(usdNumber(hourNanoUsd.value), hourNanoUsd.from),
    },
  };
}

/** Only a team, an organization and the platform can be inherited from. */
const inheritedField = <Value>(value: Value, from: SpendScope) => ({
  value,
  from: from === 'team' || from === 'org' ? from : ('platform' as const),
});

function notFound({ scope }: BreakerOwner): never {
  const name = scope === 'org' ? 'organization' : scope;
  throw new ApiError('http_404', `There is no such ${name}.`);
}

const TARGET_TYPES: Readonly<Record<BreakerOwner['scope'], string>> = {
  org: 'org',
  team: 'team',
  member: 'org_member',
};

function entryOf(target: BreakerOwner, principal: Principal, { before, after }: LayerChange): AuditEntry {
  const targetType = TARGET_TYPES[target.scope];
  return {
    orgId: target.orgId,
    action: `${targetType}.cb.update`,
    actor: auditActor(principal),
    targetType,
    targetId: target.id,
    before: layerAnswer(before),
    after: layerAnswer(after),
  };
}
