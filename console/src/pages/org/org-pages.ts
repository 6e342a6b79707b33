// The pages of an organization and their roles. A role is not offered what it may not do; the gateway decides in any
// case.

import {
  BellRing,
  Boxes,
  ChartColumn,
  Gauge,
  GraduationCap,
  House,
  KeyRound,
  LogIn,
  type LucideIcon,
  Plug,
  Rss,
  ScrollText,
  ShieldCheck,
  UserRound,
  UsersRound,
} from 'lucide-react';
import type { OrganizationRole } from '../../api/session.ts';

const EVERYONE: readonly OrganizationRole[] = ['org_admin', 'billing_viewer', 'team_admin', 'member'];
const MANAGERS: readonly OrganizationRole[] = ['org_admin', 'team_admin'];
const READERS: readonly OrganizationRole[] = ['org_admin', 'billing_viewer'];
const ADMINS: readonly OrganizationRole[] = ['org_admin'];

export const ORG_PAGES = [
  { id: 'overview', to: '/org/$orgId', label: 'Overview', icon: House, roles: EVERYONE },
  { id: 'teams', to: '/org/$orgId/teams', label: 'Teams', icon: UsersRound, roles: MANAGERS },
  { id: 'members', to: '/org/$orgId/members', label: 'Members', icon: UserRound, roles: MANAGERS },
  { id: 'keys', to: '/org/$orgId/keys', label: 'Organization keys', icon: KeyRound, roles: EVERYONE },
  { id: 'models', to: '/org/$orgId/models', label: 'Allowed models', icon: Boxes, roles: ADMINS },
  {
    id: 'breakers',
    to: '/org/$orgId/breakers',
    label: 'Breakers',
    icon: Gauge,
    roles: [...MANAGERS, 'billing_viewer'],
  },
  { id: 'filters', to: '/org/$orgId/filters', label: 'Content filters', icon: ShieldCheck, roles: ADMINS },
  { id: 'notices', to: '/org/$orgId/notices', label: 'Notices', icon: BellRing, roles: ADMINS },
  { id: 'feeds', to: '/org/$orgId/feeds', label: 'Feeds', icon: Rss, roles: ADMINS },
  { id: 'upstreams', to: '/org/$orgId/upstreams', label: 'Own upstreams', icon: Plug, roles: ADMINS },
  { id: 'institution', to: '/org/$orgId/institution', label: 'Institution', icon: GraduationCap, roles: ADMINS },
  { id: 'sign-on', to: '/org/$orgId/sign-on', label: 'Single sign-on', icon: LogIn, roles: ADMINS },
  { id: 'reports', to: '/org/$orgId/reports', label: 'Reports', icon: ChartColumn, roles: READERS },
  { id: 'audit-log', to: '/org/$orgId/audit-log', label: 'Audit log', icon: ScrollText, roles: ADMINS },
] as const satisfies readonly Readonly<{
  id: string;
  to: string;
  label: string;
  icon: LucideIcon;
  roles: readonly OrganizationRole[];
}>[];

export type OrgPageId = (typeof ORG_PAGES)[number]['id'];

export const pagesFor = (role: OrganizationRole) =>
  ORG_PAGES.filter(({ roles }: Readonly<{ roles: readonly OrganizationRole[] }>) => roles.includes(role));

export const maySee = (role: OrganizationRole, page: OrgPageId): boolean =>
  pagesFor(role).some(({ id }) => id === page);
