// The operators' pages. The frame around them checks that the visitor is an operator, by a session or by the operator
// token. The audit log records what an operator reads, so these pages have no loaders: pointing at a link must not
// count as reading.

import { createRoute } from '@tanstack/react-router';
import { CALL_FILTERS } from './api/operator/call-filters.ts';
import { root } from './base-routes.tsx';
import { textOf } from './search.ts';
import { pageOf } from './ui/late-part.tsx';

type Search = Record<string, unknown>;

const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: pageOf(() => import('./pages/operator/operator-frame.tsx'), 'OperatorFrame'),
});

const health = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: pageOf(() => import('./pages/operator/system/health.tsx'), 'Health'),
});

const users = createRoute({
  getParentRoute: () => operator,
  path: '/users',
  validateSearch: (search: Search) => textOf(search, ['query', 'sort']),
  component: pageOf(() => import('./pages/operator/users/users.tsx'), 'Users'),
});

const user = createRoute({
  getParentRoute: () => operator,
  path: '/users/$userId',
  component: pageOf(() => import('./pages/operator/users/user.tsx'), 'UserPage'),
});

const orgs = createRoute({
  getParentRoute: () => operator,
  path: '/orgs',
  validateSearch: (search: Search) => textOf(search, ['query', 'sort']),
  component: pageOf(() => import('./pages/operator/orgs/orgs.tsx'), 'OperatorOrgs'),
});

const org = createRoute({
  getParentRoute: () => operator,
  path: '/orgs/$orgId',
  component: pageOf(() => import('./pages/operator/orgs/org.tsx'), 'OperatorOrg'),
});

const catalog = createRoute({
  getParentRoute: () => operator,
  path: '/catalog',
  component: pageOf(() => import('./pages/operator/catalog/catalog.tsx'), 'Catalog'),
});

const providers = createRoute({
  getParentRoute: () => operator,
  path: '/providers',
  component: pageOf(() => import('./pages/operator/providers/providers.tsx'), 'Providers'),
});

const connect = createRoute({
  getParentRoute: () => operator,
  path: '/providers/connect',
  component: pageOf(() => import('./pages/operator/providers/connect.tsx'), 'Connect'),
});

const autoRouter = createRoute({
  getParentRoute: () => operator,
  path: '/auto-router',
  component: pageOf(() => import('./pages/operator/auto-router/auto-router.tsx'), 'AutoRouter'),
});

const brake = createRoute({
  getParentRoute: () => operator,
  path: '/brake',
  component: pageOf(() => import('./pages/operator/system/brake.tsx'), 'BrakePage'),
});

const rootSecret = createRoute({
  getParentRoute: () => operator,
  path: '/secret',
  component: pageOf(() => import('./pages/operator/system/root-secret.tsx'), 'RootSecretPage'),
});

const ledger = createRoute({
  getParentRoute: () => operator,
  path: '/ledger',
  component: pageOf(() => import('./pages/operator/system/ledger.tsx'), 'LedgerPage'),
});

const codes = createRoute({
  getParentRoute: () => operator,
  path: '/codes',
  component: pageOf(() => import('./pages/operator/users/codes.tsx'), 'Codes'),
});

const orders = createRoute({
  getParentRoute: () => operator,
  path: '/orders',
  component: pageOf(() => import('./pages/operator/system/orders.tsx'), 'Orders'),
});

const evidence = createRoute({
  getParentRoute: () => operator,
  path: '/evidence',
  component: pageOf(() => import('./pages/operator/system/evidence.tsx'), 'EvidencePage'),
});

const overview = createRoute({
  getParentRoute: () => operator,
  path: '/overview',
  validateSearch: (search: Search) => textOf(search, ['from', 'to']),
  component: pageOf(() => import('./pages/operator/desk/overview.tsx'), 'OperatorOverviewPage'),
});

const calls = createRoute({
  getParentRoute: () => operator,
  path: '/calls',
  validateSearch: (search: Search) => textOf(search, CALL_FILTERS),
  component: pageOf(() => import('./pages/operator/desk/calls.tsx'), 'CallsPage'),
});

const explain = createRoute({
  getParentRoute: () => operator,
  path: '/explain',
  validateSearch: (search: Search) => textOf(search, ['id']),
  component: pageOf(() => import('./pages/operator/system/explain.tsx'), 'Explain'),
});

const notices = createRoute({
  getParentRoute: () => operator,
  path: '/notices',
  component: pageOf(() => import('./pages/operator/system/notices.tsx'), 'OperatorNotices'),
});

const feeds = createRoute({
  getParentRoute: () => operator,
  path: '/feeds',
  component: pageOf(() => import('./pages/operator/system/feeds.tsx'), 'OperatorFeeds'),
});

const operators = createRoute({
  getParentRoute: () => operator,
  path: '/operators',
  component: pageOf(() => import('./pages/operator/operators/operators.tsx'), 'OperatorsPage'),
});

const auditLog = createRoute({
  getParentRoute: () => operator,
  path: '/audit-log',
  validateSearch: (search: Search) => textOf(search, ['operator', 'changes']),
  component: pageOf(() => import('./pages/operator/operators/audit-log.tsx'), 'OperatorAuditLog'),
});

const operatorPages = [
  ...[health, users, user, orgs, org, catalog],
  ...[providers, connect],
  ...[overview, calls, autoRouter, brake, rootSecret, ledger, orders, codes, evidence, explain, notices, feeds],
  ...[operators, auditLog],
] as const;

export const operatorRoutes = operator.addChildren(operatorPages);
