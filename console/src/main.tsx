// The console's entry: the router, the query cache and the toasts around one page.

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/problem.ts';
import { createConsoleRouter } from './router.tsx';
import { leaveIfSignedOut } from './session-end.ts';
import './styles.css';
import { ToastProvider } from './ui/toast.tsx';

const RETRIES_MAX = 2;

type Pages = Readonly<{ pages?: readonly unknown[] }> | undefined;

/** A list that was read on stays as it was read: each of its pages would be asked for again. */
const isOnePage = ({ state }: Readonly<{ state: Readonly<{ data: unknown }> }>): boolean =>
  ((state.data as Pages)?.pages?.length ?? 1) === 1;

const onError = (error: unknown): void => void leaveIfSignedOut(error, queryClient, () => void router.invalidate());

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // Without a connection a call fails and says so. The default is to hold it back in silence and make it whenever there
    // is one again, when nobody expects it any more.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Short, so that a page that is opened again is shown at once and then as it is now.
      staleTime: 2_000,
      refetchOnMount: isOnePage,
      refetchOnWindowFocus: isOnePage,
      refetchOnReconnect: isOnePage,
      // What the gateway refused stays refused; only what may pass is tried again.
      retry: (failures, error) => !(error instanceof ApiProblem && error.status < 500) && failures < RETRIES_MAX,
    },
  },
});

const router = createConsoleRouter(queryClient);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);
