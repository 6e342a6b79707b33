// The tokens of an organization's directory: GET /api/orgs/:orgId/provisioning and tokens below it.

import {
  type NewProvisioningTokenAnswer,
  NewProvisioningTokenBody,
  type ProvisioningAnswer,
} from '../../contract/scim.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { RouteRow } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { ProvisioningToken } from '../../modules/orgs/provisioning/tokens.ts';
import type { PrincipalHandler, Protect } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { scimBase } from '../scim/answers.ts';
import type { ScimServices } from '../scim/users.ts';
import { requireAdmin } from './authority.ts';
import type { RoleServices } from './require-role.ts';

type ProvisioningServices = ScimServices & RoleServices;

const access = 'manager';

// biome-ignore format: a table reads best with one row a line.
export function provisioningRoutes(services: ProvisioningServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/api/orgs/:orgId/provisioning', access, handle: principal(readProvisioning(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/provisioning/tokens', access, handle: principal(createToken(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/provisioning/tokens/:id', access, handle: principal(removeToken(services)) },
  ];
}

const EVERYBODY = { userName: null, externalId: null, id: null, emailNormalized: null };
const EVERY_GROUP = { displayName: null, externalId: null, id: null, memberId: null };
const NONE = { offset: 0, limit: 0 };

const readProvisioning =
  (services: ProvisioningServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId } = await requireAdmin(services, exchange, principal);
    const { tokens, people, groups } = services.provisioning;
    const [list, users, teams] = await Promise.all([
      tokens.list(orgId),
      people.list(orgId, EVERYBODY, NONE),
      groups.list(orgId, EVERY_GROUP, { ...NONE, hasMembers: false }),
    ]);
    const answer: ProvisioningAnswer = {
      baseUrl: scimBase(services.siteUrl()),
      tokens: list.map(tokenObject),
      users: users.total,
      groups: teams.total,
    };
    sendJson(exchange, 200, answer);
  };

function createToken(services: ProvisioningServices): PrincipalHandler {
  const readBody = bodyReader(NewProvisioningTokenBody);
  return async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    const { name } = await readBody(exchange);
    const { secret, ...token } = await services.provisioning.tokens.create(orgId, name.trim(), actor);
    const answer: NewProvisioningTokenAnswer = { ...tokenObject(token), token: secret };
    sendJson(exchange, 201, answer);
  };
}

const removeToken =
  (services: ProvisioningServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, actor } = await requireAdmin(services, exchange, principal);
    if (!(await services.provisioning.tokens.remove(orgId, exchange.params.id ?? '', actor))) {
      throw new ApiError('http_404', 'There is no such token.');
    }
    sendEmpty(exchange, 204);
  };

const tokenObject = ({ id, name, suffix, createdAt, lastUsedAt }: ProvisioningToken) => ({
  id,
  name,
  suffix,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
