// The routes of keys. The same handlers serve a management key on /v1, a person in the console on /api/account, and an
// organization's administrators on /api/orgs: they differ in whose keys they are about.

import type { RouteRow } from '../../http/exchange.ts';
import { asPrincipal, type Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { overAccountOfKey, overBoundAccount, overNamedOrganization } from './authority.ts';
import { changeKey } from './change-key.ts';
import { createKey, createOrgKey } from './create-key.ts';
import { deleteKey } from './delete-key.ts';
import { receiveScannerReport, reportLeak, reportLeakAsOperator } from './leaks.ts';
import { listKeys } from './list-keys.ts';

// biome-ignore format: a table reads best with one row a line.
export function keyRoutes(services: Services, { caller, principal, operator, listing }: Protect): readonly RouteRow[] {
  const bound = overBoundAccount(services);
  const named = overNamedOrganization(services);
  return [
    { method: 'GET', path: '/v1/keys', access: 'management', handle: caller(asPrincipal(listKeys(services, bound))) },
    { method: 'POST', path: '/v1/keys', access: 'management', handle: caller(asPrincipal(createKey(services, bound))) },
    { method: 'PATCH', path: '/v1/keys/:id', access: 'manager', handle: principal(changeKey(services, overAccountOfKey(services))) },
    { method: 'DELETE', path: '/v1/keys/:id', access: 'management', handle: caller(asPrincipal(deleteKey(services, bound))) },
    { method: 'POST', path: '/v1/keys/leaked', access: 'public', bodyBytesMax: 262_144, handle: listing(reportLeak(services)) },
    { method: 'POST', path: '/api/leaks/github', access: 'public', bodyBytesMax: 4_194_304, handle: receiveScannerReport(services) },
    { method: 'POST', path: '/admin/v1/keys/leaked', access: 'operator', leastRole: 'support', handle: operator(reportLeakAsOperator(services)) },
    { method: 'GET', path: '/api/account/keys', access: 'session', handle: principal(listKeys(services, bound)) },
    { method: 'POST', path: '/api/account/keys', access: 'session', handle: principal(createKey(services, bound)) },
    { method: 'PATCH', path: '/api/account/keys/:id', access: 'session', handle: principal(changeKey(services, bound)) },
    { method: 'DELETE', path: '/api/account/keys/:id', access: 'session', handle: principal(deleteKey(services, bound)) },
    { method: 'GET', path: '/api/orgs/:orgId/keys', access: 'manager', handle: principal(listKeys(services, named)) },
    { method: 'POST', path: '/api/orgs/:orgId/keys', access: 'manager', handle: principal(createOrgKey(services, named)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/keys/:id', access: 'manager', handle: principal(changeKey(services, named)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/keys/:id', access: 'manager', handle: principal(deleteKey(services, named)) },
  ];
}
