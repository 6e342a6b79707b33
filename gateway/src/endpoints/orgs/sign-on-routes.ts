// The routes of single sign-on and of the domains that an organization confirms.

import type { RouteRow } from '../../http/exchange.ts';
import type { Protect } from '../protect.ts';
import {
  changeSignOn,
  checkDomain,
  claimDomain,
  dropDomain,
  listDomains,
  readSignOn,
  removeSignOn,
  type SignOnServices,
} from './sign-on.ts';

const access = 'manager';

// biome-ignore format: a table reads best with one row a line.
export function signOnRoutes(services: SignOnServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/api/orgs/:orgId/sign-on', access, handle: principal(readSignOn(services)) },
    { method: 'PUT', path: '/api/orgs/:orgId/sign-on', access, handle: principal(changeSignOn(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/sign-on', access, handle: principal(removeSignOn(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/domains', access, handle: principal(listDomains(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/domains', access, handle: principal(claimDomain(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/domains/:domain/check', access, handle: principal(checkDomain(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/domains/:domain', access, handle: principal(dropDomain(services)) },
  ];
}
