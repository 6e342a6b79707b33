// The frame around every page of a signed-in person: navigation at the side, or behind a button on a phone.

import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Menu, Moon, Sun, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { AccountMenu } from './account-menu.tsx';
import { navigation } from './navigation.ts';
import { OrgNavigation } from './org-navigation.tsx';
import { useTheme } from './theme.ts';

export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever another page opens.
  useEffect(() => setOpen(false), [path]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr]">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3">
        Skip to the content
      </a>
      <header className="flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 lg:hidden">
        <Brand />
        <Button kind="ghost" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          {isOpen ? <X size={20} aria-hidden="true" /> : <Menu size={20} aria-hidden="true" />}
          <span className="sr-only">Menu</span>
        </Button>
      </header>
      <aside
        id="navigation"
        aria-label="Sidebar"
        className={classNames(
          'border-line bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:border-r',
          isOpen ? 'flex flex-col border-b' : 'hidden',
        )}
      >
        <div className="hidden px-5 pt-5 pb-3 lg:block">
          <Brand />
        </div>
        <Navigation />
        <Footer />
      </aside>
      <main id="content" className="min-w-0">
        <Outlet />
      </main>
    </div>
  );
}

function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2.5 font-semibold tracking-tight">
      <img src="/console/icon.svg" alt="" width={28} height={28} />
      Tollgate
    </Link>
  );
}

function Navigation() {
  return (
    <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto px-3 py-2">
      {navigation.map((section) => (
        <div key={section.title} className="mb-4">
          <p className="px-2 pb-1 text-xs font-medium text-quiet">{section.title}</p>
          <ul className="grid gap-0.5">
            {section.pages.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/' }}
                  className="flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm hover:bg-sunken"
                  activeProps={{ className: 'bg-accent-soft text-accent font-medium' }}
                >
                  <Icon size={17} aria-hidden="true" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <OrgNavigation />
    </nav>
  );
}

function Footer() {
  const [theme, toggleTheme] = useTheme();
  return (
    <div className="flex items-center gap-2 border-t border-line p-3">
      <AccountMenu />
      <Button
        kind="ghost"
        isSmall
        onClick={toggleTheme}
        aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
      >
        {theme === 'dark' ? <Sun size={17} aria-hidden="true" /> : <Moon size={17} aria-hidden="true" />}
      </Button>
    </div>
  );
}
