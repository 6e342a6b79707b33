// Says that something on the open page could not be updated. Figures on the page stay as they are, and lists to choose
// from stay empty; neither would show that the gateway did not answer.

import { useQueryClient } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';

const SERVER_ERROR = 500;

const isUnanswered = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof ApiProblem && error.status >= SERVER_ERROR);

export function UnreachedNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  const isUnreached = useSyncExternalStore(subscribe, () =>
    cache.findAll({ type: 'active' }).some(({ state }) => isUnanswered(state.error)),
  );
  if (!isUnreached) return null;
  const retry = (): void =>
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isUnanswered(state.error) });
  return (
    <div
      role="status"
      className="sticky top-0 z-40 flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-warn sm:px-8"
    >
      <WifiOff size={17} aria-hidden="true" className="shrink-0" />
      <span className="min-w-0 flex-1">
        Parts of this page could not be loaded, and others may be out of date. What you typed is kept.
      </span>
      <Button isSmall onClick={retry}>
        Load them again
      </Button>
    </div>
  );
}
