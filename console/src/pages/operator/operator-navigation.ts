// The operator's pages that the navigation lists, by section.

import {
  BellRing,
  Boxes,
  Building2,
  ChartColumn,
  Gauge,
  HeartPulse,
  History,
  KeyRound,
  ListTree,
  type LucideIcon,
  Plug,
  ReceiptText,
  Route,
  Rss,
  Scale,
  SearchCheck,
  ShieldAlert,
  Ticket,
  UserCog,
  Users,
} from 'lucide-react';

type OperatorPath =
  | '/operator'
  | `/operator/${'overview' | 'calls' | 'users' | 'orgs' | 'orders' | 'codes' | 'catalog' | 'providers' | 'auto-router' | 'brake' | 'ledger' | 'evidence' | 'explain' | 'notices' | 'feeds' | 'operators' | 'audit-log' | 'secret'}`;
type OperatorPage = Readonly<{ to: OperatorPath; label: string; icon: LucideIcon }>;
type OperatorSection = Readonly<{ title: string; pages: readonly OperatorPage[] }>;

export const operatorNavigation: readonly OperatorSection[] = [
  {
    title: 'Traffic',
    pages: [
      { to: '/operator/overview', label: 'Overview', icon: ChartColumn },
      { to: '/operator/calls', label: 'Calls', icon: ListTree },
      { to: '/operator', label: 'Health', icon: HeartPulse },
      { to: '/operator/providers', label: 'Providers', icon: Plug },
      { to: '/operator/catalog', label: 'Catalog', icon: Boxes },
      { to: '/operator/auto-router', label: 'Auto router', icon: Route },
      { to: '/operator/brake', label: 'Brake', icon: Gauge },
      { to: '/operator/notices', label: 'Notices', icon: BellRing },
      { to: '/operator/feeds', label: 'Feeds', icon: Rss },
    ],
  },
  {
    title: 'Customers',
    pages: [
      { to: '/operator/users', label: 'Users', icon: Users },
      { to: '/operator/orgs', label: 'Organizations', icon: Building2 },
      { to: '/operator/orders', label: 'Orders', icon: ReceiptText },
      { to: '/operator/codes', label: 'Codes', icon: Ticket },
    ],
  },
  {
    title: 'Books',
    pages: [
      { to: '/operator/ledger', label: 'Ledger', icon: Scale },
      { to: '/operator/explain', label: 'Explain', icon: SearchCheck },
      { to: '/operator/evidence', label: 'Evidence', icon: ShieldAlert },
    ],
  },
  {
    title: 'Operators',
    pages: [
      { to: '/operator/operators', label: 'Operators', icon: UserCog },
      { to: '/operator/audit-log', label: 'Audit log', icon: History },
      { to: '/operator/secret', label: 'Root secret', icon: KeyRound },
    ],
  },
];
