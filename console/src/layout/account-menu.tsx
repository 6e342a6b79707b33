// Who is signed in, and the way out.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LogOut } from 'lucide-react';
import { request } from '../api/request.ts';
import { sessionQuery } from '../api/session.ts';
import { Button } from '../ui/button.tsx';

export function AccountMenu() {
  const { data: session } = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => request<void>('POST', '/api/auth/logout', { body: {} }),
    onSuccess: async () => {
      // Nothing of this person may be shown to the next one.
      queryClient.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  if (session === null || session === undefined) return null;
  return (
    <div className="flex min-w-0 flex-1 items-center justify-between gap-2">
      <div className="min-w-0 text-sm">
        <p className="truncate font-medium">{session.user.name}</p>
        <p className="truncate text-xs text-quiet">{session.user.email}</p>
      </div>
      <Button kind="ghost" isSmall isBusy={signOut.isPending} onClick={() => signOut.mutate()} aria-label="Sign out">
        <LogOut size={17} aria-hidden="true" />
      </Button>
    </div>
  );
}
