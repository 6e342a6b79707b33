// The signed-in person, and signing out.

import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { describeProblem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { signOut } from '../api/sign-out.ts';
import { Button } from '../ui/button.tsx';
import { useLeave } from './use-leave.ts';

export function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const leave = useLeave();
  const departure = useMutation({ mutationFn: signOut, onSuccess: leave });
  if (session === null || session === undefined) return null;
  return (
    <div className="flex min-w-0 flex-1 items-center justify-between gap-2">
      <div className="min-w-0 text-sm">
        <p className="truncate font-medium" title={session.user.name}>
          {session.user.name}
        </p>
        <p className="truncate text-xs text-quiet" title={session.user.email}>
          {session.user.email}
        </p>
        {departure.error !== null && (
          <p role="alert" className="text-xs text-bad">
            You are not signed out yet. {describeProblem(departure.error)}
          </p>
        )}
      </div>
      <Button
        kind="ghost"
        isSmall
        isBusy={departure.isPending}
        onClick={() => departure.mutate()}
        aria-label="Sign out"
      >
        <LogOut size={17} aria-hidden="true" />
      </Button>
    </div>
  );
}
