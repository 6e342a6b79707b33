// The parent routes: the root, the pages that everybody may read, and the shell for signed-in people. A visitor who is
// not signed in is sent to sign in first, and returns afterwards.

import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { sessionQuery } from './api/session.ts';
import { siteQuery } from './api/site.ts';
import { Shell } from './layout/shell.tsx';
import { NotFound } from './pages/not-found.tsx';
import { ErrorNotice } from './ui/error-notice.tsx';
import { pageOf } from './ui/late-part.tsx';

type Context = Readonly<{ queryClient: QueryClient }>;

export const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => (
    <main className="mx-auto max-w-xl p-8">
      <ErrorNotice error={error} onRetry={() => location.reload()} />
    </main>
  ),
});

type Arrival = Readonly<{ context: Context; location: Readonly<{ href: string }> }>;

const signedInFirst = async ({ context: { queryClient }, location: { href } }: Arrival) => {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session === null) throw redirect({ to: '/sign-in', search: { next: href } });
  return { session };
};

/** For signed-in people, without the shell. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Outlet,
  beforeLoad: signedInFirst,
});

/** Pages that everybody may read where the operator allows it; otherwise only signed-in people. */
export const reader = createRoute({
  getParentRoute: () => root,
  id: 'reader',
  component: pageOf(() => import('./layout/reader-frame.tsx'), 'ReaderFrame'),
  beforeLoad: async ({ context: { queryClient }, location: { href } }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const site = await queryClient.ensureQueryData(siteQuery);
    if (!site.publicModels) throw redirect({ to: '/sign-in', search: { next: href } });
  },
});

export const member = createRoute({
  getParentRoute: () => root,
  id: 'member',
  component: Shell,
  beforeLoad: signedInFirst,
});
