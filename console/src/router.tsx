// Every page of the console and who sees it: pages for guests, pages for people who are signed in (inside the shell),
// and the operator's. Pages are loaded when they are first opened, so that the first load stays small.

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { sessionQuery } from './api/session.ts';
import { Shell } from './layout/shell.tsx';
import { NotFound } from './pages/not-found.tsx';
import { ErrorNotice } from './ui/error-notice.tsx';

type Context = Readonly<{ queryClient: QueryClient }>;

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => (
    <main className="mx-auto max-w-xl p-8">
      <ErrorNotice error={error} onRetry={() => location.reload()} />
    </main>
  ),
});

/** Pages for people who are not signed in yet. */
const guest = createRoute({ getParentRoute: () => root, id: 'guest', component: Outlet });

const member = createRoute({
  getParentRoute: () => root,
  id: 'member',
  component: Shell,
  beforeLoad: async ({ context, location: { href } }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { next: href } });
    return { session };
  },
});

const signIn = createRoute({
  getParentRoute: () => guest,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === 'string' && search.next.startsWith('/') && !search.next.startsWith('//')
      ? { next: search.next }
      : {},
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'SignIn'),
});

const home = createRoute({
  getParentRoute: () => member,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/home.tsx'), 'Home'),
});

const models = createRoute({
  getParentRoute: () => member,
  path: '/models',
  component: lazyRouteComponent(() => import('./pages/models/models.tsx'), 'Models'),
});

const model = createRoute({
  getParentRoute: () => member,
  path: '/models/$slug',
  component: lazyRouteComponent(() => import('./pages/models/model.tsx'), 'ModelPage'),
});

const playground = createRoute({
  getParentRoute: () => member,
  path: '/playground',
  validateSearch: (search: Record<string, unknown>): { model?: string } =>
    typeof search.model === 'string' ? { model: search.model } : {},
  component: lazyRouteComponent(() => import('./pages/playground/playground.tsx'), 'Playground'),
});

const routeTree = root.addChildren([
  guest.addChildren([signIn]),
  member.addChildren([home, models, model, playground]),
]);

export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({ routeTree, basepath: '/console', context: { queryClient }, defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
