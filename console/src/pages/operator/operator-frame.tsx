// The frame around the operator's pages: the token first, then the way between the pages and the way out.

import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { LogOut, Moon, Sun } from 'lucide-react';
import { keepOperatorToken, OPERATOR_KEY, useIsOperator } from '../../api/operator/token.ts';
import { useTheme } from '../../layout/theme.ts';
import { Button } from '../../ui/button.tsx';
import { TokenEntry } from './token-entry.tsx';

const PAGES = [
  { to: '/operator', label: 'Health' },
  { to: '/operator/users', label: 'Users' },
  { to: '/operator/orgs', label: 'Organizations' },
  { to: '/operator/catalog', label: 'Catalog' },
  { to: '/operator/auto-router', label: 'Auto router' },
  { to: '/operator/brake', label: 'Brake' },
  { to: '/operator/ledger', label: 'Ledger' },
  { to: '/operator/orders', label: 'Orders' },
  { to: '/operator/evidence', label: 'Evidence' },
  { to: '/operator/explain', label: 'Explain' },
] as const;

export function OperatorFrame() {
  return useIsOperator() ? <OperatorShell /> : <TokenEntry />;
}

function OperatorShell() {
  const queryClient = useQueryClient();
  const [theme, toggleTheme] = useTheme();
  const leave = (): void => {
    keepOperatorToken(null);
    queryClient.removeQueries({ queryKey: [OPERATOR_KEY] });
  };
  return (
    <div className="min-h-dvh">
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-2 px-4 py-2.5 sm:px-8">
          <p className="flex items-center gap-2.5 font-semibold tracking-tight">
            <img src="/console/icon.svg" alt="" width={28} height={28} />
            Operator
          </p>
          <div className="ml-auto flex gap-2">
            <Button
              kind="ghost"
              isSmall
              onClick={toggleTheme}
              aria-label={theme === 'dark' ? 'Use the light theme' : 'Use the dark theme'}
            >
              {theme === 'dark' ? <Sun size={17} aria-hidden="true" /> : <Moon size={17} aria-hidden="true" />}
            </Button>
            <Button isSmall onClick={leave}>
              <LogOut size={16} aria-hidden="true" /> Leave
            </Button>
          </div>
          <nav aria-label="Operator" className="w-full">
            <ul className="flex flex-wrap gap-1">
              {PAGES.map(({ to, label }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === '/operator', includeSearch: false }}
                    className="block rounded-lg px-2.5 py-1.5 text-sm hover:bg-sunken"
                    activeProps={{ className: 'bg-accent-soft text-accent font-medium' }}
                  >
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
      </header>
      <main>
        <Outlet />
      </main>
    </div>
  );
}
