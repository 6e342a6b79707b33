// A session may end while its pages are open: by its age, or from another device. The person is then asked to sign in,
// and returns to the page they were on.

import type { QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './api/problem.ts';
import { sessionQuery } from './api/session.ts';

/** A refusal alone proves nothing, because keys and tokens are refused too, so the session itself is checked. */
export async function leaveIfSignedOut(error: unknown, queryClient: QueryClient, leave: () => void): Promise<void> {
  const isIn = (queryClient.getQueryData(sessionQuery.queryKey) ?? null) !== null;
  if (!isIn || !isSignedOut(error)) return;
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (session === null) leave();
}
