// GET and POST /api/orgs/:orgId/guards, PATCH and DELETE below it: services of others that are asked about the
// organization's calls. They see what is sent and answered, so only org_admins may manage them.

import { ChangeGuardBody, type GuardObject, type GuardsAnswer, NewGuardBody } from '../../contract/guards.ts';
import type { RouteRow } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Guards, ShownGuard } from '../../modules/guardrails/guards/guards.ts';
import type { PrincipalHandler, Protect } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { given } from '../request-fields.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

type GuardServices = RoleServices & Readonly<{ guards: Guards }>;

const TIMEOUT_MS = 2_000;

// biome-ignore format: a table reads best with one row a line.
export function guardRoutes(services: GuardServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/api/orgs/:orgId/guards', access: 'manager', handle: principal(listGuards(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/guards', access: 'manager', handle: principal(createGuard(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/guards/:guardId', access: 'manager', handle: principal(changeGuard(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/guards/:guardId', access: 'manager', handle: principal(deleteGuard(services)) },
  ];
}

const listGuards =
  (services: GuardServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const [guards, decisions] = await Promise.all([services.guards.list(orgId), services.guards.decisions(orgId)]);
    const answer: GuardsAnswer = {
      guards: guards.map(guardObject),
      decisions: decisions.map((decision) => ({ ...decision, createdAt: decision.createdAt.toISOString() })),
    };
    sendJson(exchange, 200, answer);
  };

function createGuard(services: GuardServices): PrincipalHandler {
  const readBody = bodyReader(NewGuardBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const body = await readBody(exchange);
    const { form, url, stages, apiKey = null, action = 'block', timeoutMs = TIMEOUT_MS } = body;
    const guard = {
      ...{ form, url, apiKey, action, timeoutMs },
      name: body.name.trim(),
      stages: [...new Set(stages)],
      isOpenOnFailure: body.onFailure === 'allow',
      isEnabled: body.enabled ?? true,
    };
    sendJson(exchange, 201, guardObject(await services.guards.create(orgId, guard, actor)));
  };
}

function changeGuard(services: GuardServices): PrincipalHandler {
  const readBody = bodyReader(ChangeGuardBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { name, stages, action, timeoutMs, onFailure, enabled } = await readBody(exchange);
    const change = given({
      name: name?.trim(),
      stages: stages === undefined ? undefined : [...new Set(stages)],
      action,
      timeoutMs,
      isOpenOnFailure: onFailure === undefined ? undefined : onFailure === 'allow',
      isEnabled: enabled,
    });
    const id = exchange.params.guardId ?? '';
    sendJson(exchange, 200, guardObject(await services.guards.change(orgId, id, change, actor)));
  };
}

const deleteGuard =
  (services: GuardServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    await services.guards.remove(orgId, exchange.params.guardId ?? '', actor);
    sendEmpty(exchange, 204);
  };

const guardObject = (guard: ShownGuard): GuardObject => ({
  id: guard.id,
  name: guard.name,
  form: guard.form,
  host: guard.host,
  stages: guard.stages,
  action: guard.action,
  timeoutMs: guard.timeoutMs,
  onFailure: guard.isOpenOnFailure ? 'allow' : 'block',
  enabled: guard.isEnabled,
  createdAt: guard.createdAt.toISOString(),
});
