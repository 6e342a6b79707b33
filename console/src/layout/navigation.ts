// The pages that the navigation lists, by section. A page that is reached from another one is not here.

import { Boxes, House, type LucideIcon, MessagesSquare } from 'lucide-react';

type NavigationPage = Readonly<{ to: '/' | '/models' | '/playground'; label: string; icon: LucideIcon }>;
type NavigationSection = Readonly<{ title: string; pages: readonly NavigationPage[] }>;

export const navigation: readonly NavigationSection[] = [
  {
    title: 'Build',
    pages: [
      { to: '/', label: 'Start', icon: House },
      { to: '/models', label: 'Models', icon: Boxes },
      { to: '/playground', label: 'Playground', icon: MessagesSquare },
    ],
  },
];
