// The frame of pages that everybody may read: the usual one for signed-in people, and a plain one with links to sign in
// for all others.

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Shell } from './shell.tsx';
import { ThemeButton } from './theme-button.tsx';

export function ReaderFrame() {
  const { data: session } = useQuery(sessionQuery);
  if (session !== null) return <Shell />;
  return (
    <div className="min-h-dvh">
      <header className="flex flex-wrap items-center justify-between gap-3 border-b border-line bg-surface px-4 py-2.5 sm:px-8">
        <Link to="/models" className="flex items-center gap-2.5 font-semibold tracking-tight">
          <img src="/console/icon.svg" alt="" width={28} height={28} />
          Tollgate
        </Link>
        <nav aria-label="Sign in or create an account" className="flex items-center gap-2">
          <a href="/docs" className={buttonClass('ghost')}>
            API
          </a>
          <ThemeButton />
          <Link to="/sign-in" search={{}} className={buttonClass()}>
            Sign in
          </Link>
          <Link to="/sign-up" search={{}} className={buttonClass('primary')}>
            Create an account
          </Link>
        </nav>
      </header>
      <main id="content" className="min-w-0">
        <Outlet />
      </main>
    </div>
  );
}
