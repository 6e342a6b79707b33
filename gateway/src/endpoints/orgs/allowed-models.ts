// GET and PATCH /api/orgs/:orgId/allowed-models, and the same below a team and a member. PATCH replaces the whole list
// of that layer; an empty one clears it.

import { type AllowedModelsAnswer, AllowedModelsBody } from '../../contract/org-management.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Layer, ModelLists } from '../../modules/orgs/allowed-models.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

export type AllowedModelsServices = RoleServices & Readonly<{ modelLists: ModelLists }>;

export const readAllowedModels =
  (services: AllowedModelsServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const answer: AllowedModelsAnswer = await services.modelLists.read(orgId, layerOf(exchange));
    sendJson(exchange, 200, answer);
  };

export function replaceAllowedModels(services: AllowedModelsServices): PrincipalHandler {
  const readBody = bodyReader(AllowedModelsBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { allowedModels } = await readBody(exchange);
    const answer: AllowedModelsAnswer = await services.modelLists.replace(
      orgId,
      layerOf(exchange),
      allowedModels,
      actor,
    );
    sendJson(exchange, 200, answer);
  };
}

function layerOf({ params: { teamId, memberId } }: Exchange): Layer {
  if (memberId !== undefined) return { kind: 'member', id: memberId };
  return teamId === undefined ? { kind: 'org' } : { kind: 'team', id: teamId };
}
