// What the browser must do after a session has ended: nothing of this person may be shown to the next one.

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { forgetAllConversations } from '../api/forget-conversations.ts';
import { forgetPerson } from '../api/person-memory.ts';

export function useLeave(): () => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    // The page is left first, because what is still shown would ask again for what was cleared, and be refused.
    await navigate({ to: '/sign-in' });
    forgetPerson(queryClient);
    forgetAllConversations();
  }, [queryClient, navigate]);
}
