// The routes on what an organization spends: its breakers and its reports.

import type { RouteRow } from '../../http/exchange.ts';
import { type OrgCacheServices, purgeOrgCache } from '../account/cache.ts';
import { readOrgStatement, type StatementServices } from '../account/statement.ts';
import type { Protect } from '../protect.ts';
import { changeOrgBreaker, type OrgBreakerServices, readOrgBreaker } from './circuit-breaker.ts';
import { type ReportServices, readByMember, readByModel, readByTeam, readOverview } from './reports.ts';
import { exportReport } from './reports-export.ts';

type OrgSpendServices = OrgBreakerServices & ReportServices & StatementServices & OrgCacheServices;

// biome-ignore format: a table reads best with one row a line.
export function orgSpendRoutes(services: OrgSpendServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/api/orgs/:orgId/circuit-breaker', access: 'manager', handle: principal(readOrgBreaker(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/circuit-breaker', access: 'manager', handle: principal(changeOrgBreaker(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/teams/:teamId/circuit-breaker', access: 'manager', handle: principal(readOrgBreaker(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/teams/:teamId/circuit-breaker', access: 'manager', handle: principal(changeOrgBreaker(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/members/:memberId/circuit-breaker', access: 'manager', handle: principal(readOrgBreaker(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/members/:memberId/circuit-breaker', access: 'manager', handle: principal(changeOrgBreaker(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/cache', access: 'manager', handle: principal(purgeOrgCache(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/reports/overview', access: 'manager', handle: principal(readOverview(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/reports/by-team', access: 'manager', handle: principal(readByTeam(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/reports/by-model', access: 'manager', handle: principal(readByModel(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/reports/by-member', access: 'manager', handle: principal(readByMember(services)) },
    { method: 'GET', path: '/api/orgs/:orgId/reports/export', access: 'manager', handle: principal(exportReport(services)) },
    { method: 'GET', path: '/v1/orgs/:orgId/statement', access: 'manager', handle: principal(readOrgStatement(services)) },
  ];
}
