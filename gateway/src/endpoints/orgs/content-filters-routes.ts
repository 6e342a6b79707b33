// The routes by which an organization decides what its keys may send.

import type { RouteRow } from '../../http/exchange.ts';
import type { Protect } from '../protect.ts';
import {
  changeFilter,
  createFilter,
  deleteFilter,
  type FilterServices,
  listFilters,
  testFilters,
} from './content-filters.ts';

// biome-ignore format: a table reads best with one row a line.
export function contentFilterRoutes(services: FilterServices, { principal }: Protect): readonly RouteRow[] {
  return [
    { method: 'GET', path: '/api/orgs/:orgId/content-filters', access: 'manager', handle: principal(listFilters(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/content-filters', access: 'manager', handle: principal(createFilter(services)) },
    { method: 'POST', path: '/api/orgs/:orgId/content-filters/test', access: 'manager', handle: principal(testFilters(services)) },
    { method: 'PATCH', path: '/api/orgs/:orgId/content-filters/:filterId', access: 'manager', handle: principal(changeFilter(services)) },
    { method: 'DELETE', path: '/api/orgs/:orgId/content-filters/:filterId', access: 'manager', handle: principal(deleteFilter(services)) },
  ];
}
