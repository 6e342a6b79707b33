// Every page of the console and who sees it: pages for guests, pages for people who are signed in (inside the shell),
// and the operator's. Pages are loaded when they are first opened, so that the first load stays small.

import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, Outlet } from '@tanstack/react-router';
import { GENERATION_FILTERS } from './api/generation-filters.ts';
import { member, reader, root, signedIn } from './base-routes.tsx';
import { operatorRoutes } from './operator-routes.ts';
import { orgRoutes } from './org-routes.ts';
import { pageRoute } from './page-route.ts';
import { isOwnPage, MODEL_FILTERS, textOf } from './search.ts';
import { ErrorNotice } from './ui/error-notice.tsx';
import { Loading } from './ui/loading.tsx';

type Search = Record<string, unknown>;

function nextOf(search: Search): { next?: string } {
  const { next } = textOf(search, ['next']);
  return next !== undefined && isOwnPage(next) ? { next } : {};
}

/** Pages for people who are not signed in yet. */
const guest = createRoute({ getParentRoute: () => root, id: 'guest', component: Outlet });

const signIn = createRoute({
  getParentRoute: () => guest,
  path: '/sign-in',
  validateSearch: (search: Search): { next?: string; error?: string } => ({
    ...nextOf(search),
    ...textOf(search, ['error']),
  }),
  ...pageRoute(() => import('./pages/sign-in/sign-in.tsx'), 'SignIn'),
});

const organizationSignIn = createRoute({
  getParentRoute: () => guest,
  path: '/sign-in/organization',
  validateSearch: nextOf,
  ...pageRoute(() => import('./pages/sign-in/organization.tsx'), 'OrganizationSignIn'),
});

const secondFactor = createRoute({
  getParentRoute: () => guest,
  path: '/second-factor',
  validateSearch: nextOf,
  ...pageRoute(() => import('./pages/sign-in/second-factor.tsx'), 'SecondFactor'),
});

const signUp = createRoute({
  getParentRoute: () => guest,
  path: '/sign-up',
  validateSearch: nextOf,
  ...pageRoute(() => import('./pages/sign-in/sign-up.tsx'), 'SignUp'),
});

const verifyEmail = createRoute({
  getParentRoute: () => guest,
  path: '/verify-email',
  ...pageRoute(() => import('./pages/sign-in/verify-email.tsx'), 'VerifyEmail'),
});

const forgotPassword = createRoute({
  getParentRoute: () => guest,
  path: '/forgot-password',
  ...pageRoute(() => import('./pages/sign-in/forgot-password.tsx'), 'ForgotPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => guest,
  path: '/reset-password',
  ...pageRoute(() => import('./pages/sign-in/reset-password.tsx'), 'ResetPassword'),
});

const invitation = createRoute({
  getParentRoute: () => guest,
  path: '/invitation',
  ...pageRoute(() => import('./pages/invitation/invitation.tsx'), 'Invitation'),
});

const connect = createRoute({
  getParentRoute: () => signedIn,
  path: '/connect',
  validateSearch: (search: Search) =>
    textOf(search, ['callback_url', 'code_challenge', 'code_challenge_method', 'limit']),
  ...pageRoute(() => import('./pages/connect/connect.tsx'), 'Connect'),
});

const home = createRoute({
  getParentRoute: () => member,
  path: '/',
  ...pageRoute(() => import('./pages/home/home.tsx'), 'Home'),
});

const models = createRoute({
  getParentRoute: () => reader,
  path: '/models',
  validateSearch: (search: Search) => textOf(search, MODEL_FILTERS),
  ...pageRoute(() => import('./pages/models/models.tsx'), 'Models'),
});

const model = createRoute({
  getParentRoute: () => reader,
  path: '/models/$slug',
  ...pageRoute(() => import('./pages/models/model.tsx'), 'ModelPage'),
});

const playground = createRoute({
  getParentRoute: () => member,
  path: '/playground',
  validateSearch: (search: Search) => textOf(search, ['model']),
  ...pageRoute(() => import('./pages/playground/playground.tsx'), 'Playground'),
});

const keys = createRoute({
  getParentRoute: () => member,
  path: '/keys',
  ...pageRoute(() => import('./pages/keys/keys.tsx'), 'Keys'),
});

const usage = createRoute({
  getParentRoute: () => member,
  path: '/usage',
  validateSearch: (search: Search) =>
    textOf(search, ['orgId', 'view', 'period', 'from', 'to', 'by', 'metric', 'model', 'key', 'app']),
  ...pageRoute(() => import('./pages/usage/usage.tsx'), 'UsagePage'),
});

const generations = createRoute({
  getParentRoute: () => member,
  path: '/generations',
  validateSearch: (search: Search) => textOf(search, ['orgId', 'sort', ...GENERATION_FILTERS]),
  ...pageRoute(() => import('./pages/generations/generations.tsx'), 'Generations'),
});

const generation = createRoute({
  getParentRoute: () => member,
  path: '/generations/$id',
  validateSearch: (search: Search) => textOf(search, ['orgId']),
  ...pageRoute(() => import('./pages/generations/generation.tsx'), 'GenerationPage'),
});

const batches = createRoute({
  getParentRoute: () => member,
  path: '/batches',
  validateSearch: (search: Search) => textOf(search, ['orgId']),
  ...pageRoute(() => import('./pages/batches/batches.tsx'), 'Batches'),
});

const credits = createRoute({
  getParentRoute: () => member,
  path: '/credits',
  validateSearch: (search: Search) => textOf(search, ['orgId', 'topup', 'card']),
  ...pageRoute(() => import('./pages/credits/credits.tsx'), 'Credits'),
});

const statement = createRoute({
  getParentRoute: () => member,
  path: '/statement',
  validateSearch: (search: Search) => textOf(search, ['orgId', 'from', 'to', 'by']),
  ...pageRoute(() => import('./pages/statement/statement.tsx'), 'StatementPage'),
});

const notices = createRoute({
  getParentRoute: () => member,
  path: '/notices',
  ...pageRoute(() => import('./pages/notices/notices.tsx'), 'Notices'),
});

const settings = createRoute({
  getParentRoute: () => member,
  path: '/settings',
  ...pageRoute(() => import('./pages/settings/settings.tsx'), 'Settings'),
});

const routeTree = root.addChildren([
  guest.addChildren([
    signIn,
    organizationSignIn,
    secondFactor,
    signUp,
    verifyEmail,
    forgotPassword,
    resetPassword,
    invitation,
  ]),
  signedIn.addChildren([connect]),
  reader.addChildren([models, model]),
  member.addChildren([
    ...[home, playground, keys, usage, generations, generation, batches, credits, statement, notices, settings],
    ...orgRoutes,
  ]),
  operatorRoutes,
]);

export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    basepath: '/console',
    context: { queryClient },
    defaultPreload: 'intent',
    // The query cache decides how old an answer may be, so the router runs a loader each time a link is pointed at.
    defaultPreloadStaleTime: 0,
    // An error on a page replaces only that page; the navigation stays.
    defaultErrorComponent: ({ error, reset }) => (
      <div className="p-4 sm:p-8">
        <ErrorNotice error={error} onRetry={reset} />
      </div>
    ),
    defaultPendingComponent: Loading,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
