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
type Known = Readonly<{ state: Readonly<{ data: unknown; isInvalidated: boolean }> }>;

/**
 * A list that was extended page by page is not read again by itself, because each of its pages would be asked for. It
 * is after a change that it shows.
 */
const isReadAgain = ({ state }: Known): boolean =>
  state.isInvalidated || ((state.data as Pages)?.pages?.length ?? 1) === 1;

const onError = (error: unknown): void => void leaveIfSignedOut(error, queryClient, () => void router.invalidate());

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // Without a connection a call fails and says so. By default it would be held back silently and sent when there is a
    // connection again, when nobody expects it any more.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // Short, so that a page that is opened again is shown at once and then updated.
      staleTime: 2_000,
      refetchOnMount: isReadAgain,
      refetchOnWindowFocus: isReadAgain,
      refetchOnReconnect: isReadAgain,
      // What the gateway refused is not tried again; only failures that may pass are.
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
