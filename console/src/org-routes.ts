// The pages of organizations. Their frame finds out the person's role in the open one.

import { createRoute } from '@tanstack/react-router';
import { member } from './base-routes.tsx';
import { orgPageRoute, pageRoute } from './page-route.ts';
import { textOf } from './search.ts';
import { pageOf } from './ui/late-part.tsx';

type Search = Record<string, unknown>;

const orgs = createRoute({
  getParentRoute: () => member,
  path: '/orgs',
  ...pageRoute(() => import('./pages/orgs/orgs.tsx'), 'Orgs'),
});

const org = createRoute({
  getParentRoute: () => member,
  path: '/org/$orgId',
  component: pageOf(() => import('./pages/org/org-frame.tsx'), 'OrgFrame'),
});

const overview = createRoute({
  getParentRoute: () => org,
  path: '/',
  ...orgPageRoute('overview', () => import('./pages/org/overview/overview.tsx'), 'Overview'),
});

const teams = createRoute({
  getParentRoute: () => org,
  path: '/teams',
  ...orgPageRoute('teams', () => import('./pages/org/teams/teams.tsx'), 'Teams'),
});

const members = createRoute({
  getParentRoute: () => org,
  path: '/members',
  ...orgPageRoute('members', () => import('./pages/org/members/members.tsx'), 'Members'),
});

const keys = createRoute({
  getParentRoute: () => org,
  path: '/keys',
  ...orgPageRoute('keys', () => import('./pages/org/keys/keys.tsx'), 'OrgKeys'),
});

const signOn = createRoute({
  getParentRoute: () => org,
  path: '/sign-on',
  ...orgPageRoute('sign-on', () => import('./pages/org/sign-on/sign-on.tsx'), 'SignOnPage'),
});

const models = createRoute({
  getParentRoute: () => org,
  path: '/models',
  validateSearch: (search: Search) => textOf(search, ['for']),
  ...orgPageRoute('models', () => import('./pages/org/models/models.tsx'), 'AllowedModels'),
});

const breakers = createRoute({
  getParentRoute: () => org,
  path: '/breakers',
  validateSearch: (search: Search) => textOf(search, ['for']),
  ...orgPageRoute('breakers', () => import('./pages/org/breakers/breakers.tsx'), 'OrgBreakers'),
});

const filters = createRoute({
  getParentRoute: () => org,
  path: '/filters',
  ...orgPageRoute('filters', () => import('./pages/org/filters/filters.tsx'), 'Filters'),
});

const notices = createRoute({
  getParentRoute: () => org,
  path: '/notices',
  ...orgPageRoute('notices', () => import('./pages/org/notices/notices.tsx'), 'OrgNotices'),
});

const feeds = createRoute({
  getParentRoute: () => org,
  path: '/feeds',
  ...orgPageRoute('feeds', () => import('./pages/org/feeds/feeds.tsx'), 'OrgFeeds'),
});

const upstreams = createRoute({
  getParentRoute: () => org,
  path: '/upstreams',
  ...orgPageRoute('upstreams', () => import('./pages/org/upstreams/upstreams.tsx'), 'Upstreams'),
});

const institution = createRoute({
  getParentRoute: () => org,
  path: '/institution',
  ...orgPageRoute('institution', () => import('./pages/org/institution/institution.tsx'), 'Institution'),
});

const reports = createRoute({
  getParentRoute: () => org,
  path: '/reports',
  validateSearch: (search: Search) => textOf(search, ['month', 'view']),
  ...orgPageRoute('reports', () => import('./pages/org/reports/reports.tsx'), 'Reports'),
});

const auditLog = createRoute({
  getParentRoute: () => org,
  path: '/audit-log',
  validateSearch: (search: Search) => textOf(search, ['action', 'actor', 'from', 'to']),
  ...orgPageRoute('audit-log', () => import('./pages/org/audit-log/audit-log.tsx'), 'AuditLog'),
});

const orgPages = [
  ...[overview, teams, members, keys, models, breakers],
  ...[filters, notices, feeds, upstreams, institution, signOn, reports, auditLog],
] as const;

export const orgRoutes = [orgs, org.addChildren(orgPages)] as const;
