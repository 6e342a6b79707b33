// The routes of organizations' own upstream keys: for management keys, and for administrators in the console.

import type { RouteRow } from '../../http/exchange.ts';
import type { RoleServices } from '../orgs/require-role.ts';
import { asPrincipal, type Protect } from '../protect.ts';
import {
  type ByokServices,
  changeByokKey,
  createByokKey,
  deleteByokKey,
  listByokKeys,
  readByokKey,
} from './byok-keys.ts';
import { boundOrg, namedOrg } from './org-of.ts';

// biome-ignore format: a table reads best with one row a line.
export function byokRoutes(services: ByokServices & RoleServices, { caller, principal }: Protect): readonly RouteRow[] {
  const bound = boundOrg(services);
  const named = namedOrg(services);
  return [
    { method: 'GET', path: '/v1/management/byok-keys', access: 'management', handle: caller(asPrincipal(listByokKeys(services, bound))) },
    { method: 'POST', path: '/v1/management/byok-keys', access: 'management', handle: caller(asPrincipal(createByokKey(services, bound))) },
    { method: 'GET', path: '/v1/management/byok-keys/:id', access: 'management', handle: caller(asPrincipal(readByokKey(services, bound))) },
    { method: 'PATCH', path: '/v1/management/byok-keys/:id', access: 'management', handle: caller(asPrincipal(changeByokKey(services, bound))) },
    { method: 'DELETE', path: '/v1/management/byok-keys/:id', access: 'management', handle: caller(asPrincipal(deleteByokKey(services, bound))) },
    { method: 'GET', path: '/api/orgs/:orgId/byok-keys', access: 'manager', handle: principal(listByokKeys(services, named)) },
    { method: 'POST', path: '/api/orgs/:orgId/byok-keys', access: 'manager', handle: principal(createByokKey(services, named)) },
    { method: 'GET', path: '/api/orgs/:orgId/byok-keys/:id', access: 'manager', handle: principal(readByokKey(services, named)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/byok-keys/:id', access: 'manager', handle: principal(changeByokKey(services, named)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/byok-keys/:id', access: 'manager', handle: principal(deleteByokKey(services, named)) },
  ];
}
