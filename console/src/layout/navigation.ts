// The pages that the navigation lists, by section. A page that is reached from another one is not here.

import {
  BellRing,
  Boxes,
  ChartColumn,
  House,
  KeyRound,
  Layers,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  ScrollText,
  Settings,
  Wallet,
} from 'lucide-react';

type PagePath =
  | '/'
  | '/models'
  | '/playground'
  | '/keys'
  | '/usage'
  | '/generations'
  | '/batches'
  | '/credits'
  | '/statement'
  | '/notices'
  | '/settings';
type NavigationPage = Readonly<{ to: PagePath; label: string; icon: LucideIcon }>;
type NavigationSection = Readonly<{ title: string; pages: readonly NavigationPage[] }>;

export const navigation: readonly NavigationSection[] = [
  {
    title: 'Build',
    pages: [
      { to: '/', label: 'Start', icon: House },
      { to: '/models', label: 'Models', icon: Boxes },
      { to: '/playground', label: 'Playground', icon: MessagesSquare },
      { to: '/keys', label: 'Keys', icon: KeyRound },
    ],
  },
  {
    title: 'Account',
    pages: [
      { to: '/usage', label: 'Usage', icon: ChartColumn },
      { to: '/generations', label: 'Generations', icon: ListTree },
      { to: '/batches', label: 'Batches', icon: Layers },
      { to: '/credits', label: 'Credits', icon: Wallet },
      { to: '/statement', label: 'Statement', icon: ScrollText },
      { to: '/notices', label: 'Notices', icon: BellRing },
      { to: '/settings', label: 'Settings', icon: Settings },
    ],
  },
];
